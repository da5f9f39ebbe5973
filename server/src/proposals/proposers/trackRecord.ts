import type { LedgerEntry } from "../../../../shared/ledger/ledger.ts";
import type { Lineage } from "../../lineage/graph.ts";
import type { VersionRecord } from "../../lineage/records/versionRecord.ts";

/** What came of a proposer's drafts so far. */
export interface TrackRecord {
  readonly proposer: string;
  /** Drafts of which one prediction or more could be checked. */
  readonly judged: number;
  /** Of each of them the share of its predictions that came true, in [0, 1], added up. */
  readonly cameTrue: number;
  /** What one of its drafts took, in seconds: its question and its training; null where nothing is known. */
  readonly seconds: number | null;
}

type QuestionEntry = Extract<LedgerEntry, { type: "question" }>;

/**
 * The record of each proposer by what the ledger says. Claims that nobody trusted has signed count for nothing. A question
 * counts once a version was decided after it: asked again after a crash, the same ledger gives the same record.
 */
export function trackRecords(
  proposers: readonly string[],
  { versions }: Pick<Lineage, "versions">,
  questions: readonly QuestionEntry[],
): TrackRecord[] {
  const decided = versions.filter((v) => v.decision !== undefined && v.standing !== "claim");
  const last = decided.reduce((at, { decision }) => (decision && decision.at > at ? decision.at : at), "");
  return proposers.map((proposer) => {
    const own = decided.filter((v) => v.hypothesis?.proposer === proposer);
    const shares = own.flatMap((v) => shareThatCameTrue(v) ?? []);
    const asked = questions.filter((q) => q.proposer === proposer && q.at <= last);
    const trained = own.flatMap(({ jobs }) => {
      const seconds = jobs.reduce((sum, job) => sum + (job.seconds ?? 0), 0);
      return seconds > 0 ? [seconds] : [];
    });
    const question = sum(asked.map(({ seconds }) => seconds)) / Math.max(1, own.length);
    return {
      proposer,
      judged: shares.length,
      cameTrue: sum(shares),
      seconds: trained.length === 0 ? null : sum(trained) / trained.length + question,
    };
  });
}

/**
 * Of what was predicted of a version, that its metric moves and that labels become rarer, the share that came true. What
 * could not be measured counts for nothing; a change that changed nothing came to nothing. Null where nothing can be said.
 */
function shareThatCameTrue({ decision, jobs, approvals }: VersionRecord): number | null {
  if (decision === undefined) return null;
  // One that a person did not want says nothing of its predictions.
  if (decision.decision === "prune" && jobs.length === 0 && approvals.length === 0) return 0;
  const result = decision.hypothesis;
  if (result === undefined) return null;
  const moved = result.moved === "cannot_tell" ? [] : [result.moved === "as_said"];
  const fixes = result.fixes.flatMap((fix) => (fix.result === "not_measured" ? [] : [fix.result === "hit"]));
  const all = [...moved, ...fixes];
  return all.length === 0 ? null : all.filter((came) => came).length / all.length;
}

const sum = (values: readonly number[]): number => values.reduce((total, value) => total + value, 0);
