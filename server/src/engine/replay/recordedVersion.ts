import { saidReason } from "../../../../shared/words/guardrailText.ts";
import type { Comparison } from "../../../../shared/ledger/measures.ts";
import type { InterventionSpec } from "../../../../shared/spec/intervention.ts";
import type { Measurement, Terms, TrainedVersion } from "../../decision/decide.ts";
import type { Archived, DecidedVersion } from "../../decision/replay/decideAgain.ts";
import type { RecordedVersion } from "../../decision/replay/replayLineage.ts";
import type { VersionRecord } from "../../lineage/records/versionRecord.ts";
import { termsOf } from "../../proposals/standing/proposal.ts";

/** What the ledger does not say of a version. */
interface Around {
  readonly archived: Archived;
  /** The last values of the trainer's metrics. */
  readonly training: Measurement["training"];
  /** The project's interventions, for ledgers that did not keep them. */
  readonly interventions: readonly InterventionSpec[];
  readonly parent: VersionRecord | undefined;
}

/** A version as it was recorded, and what its decision rested on. */
export function recordedVersion(version: VersionRecord, around: Around): RecordedVersion {
  const { name, parent, generation, decision, hypothesis, approvals } = version;
  const answer = approvals.findLast(({ gate }) => gate === "design");
  return {
    ...{ name, parent, generation },
    decision:
      decision === undefined
        ? null
        : {
            decision: decision.decision,
            reason: saidReason(decision.reason, version.evidence.selection?.labels ?? []),
          },
    decided: decidedVersion(version, around),
    archived: around.archived,
    answer: answer === undefined ? null : { answer: answer.answer, by: answer.by },
    targets: hypothesis?.targets ?? [],
  };
}

/** Decisions that a version's evidence makes. */
const byEvidence: ReadonlySet<string> = new Set(["base", "keep", "reject", "invalid", "merge"]);

function decidedVersion(version: VersionRecord, around: Around): DecidedVersion | null {
  const { name, parent, decision, evidence, jobs, origin, intervention } = version;
  if (decision === undefined || !byEvidence.has(decision.decision)) return null;
  const job = jobs.findLast(({ at }) => at <= decision.at);
  const failure = job?.failure == null ? null : { failure: job.failure, message: job.message };
  const { selection } = evidence;
  if (selection === undefined && failure === null && origin === undefined) return null;
  const measured = measurementOf(selection, around.training);
  const terms = termsOf(
    version,
    around.interventions.find((spec) => spec.name === intervention),
  );
  const { comparison } = decision;
  const trained: TrainedVersion = {
    kind: kindOf(version, around.parent),
    ...{ failure, measured, comparison, terms },
    incomparable: incomparableOf(decision, { failure, measured }),
    ...foundOut(version, around.parent),
  };
  const look = version.screenings.at(-1);
  return {
    ...{ name, trained },
    against: comparison?.against ?? parent,
    isImported: origin !== undefined,
    candidates: decision.rules?.candidates ?? candidatesOf(comparison, terms),
    look:
      look === undefined ? null : { verdict: look.verdict, seeds: look.seeds.length, reason: look.reason },
    takesOut: version.without ?? null,
  };
}

/** What was found out of a version besides what was measured: its hypothesis, its score without the leak, its seeds. */
function foundOut(
  { decision, evidence: { selection } }: VersionRecord,
  parent: VersionRecord | undefined,
): Pick<TrainedVersion, "hypothesis" | "clean" | "seeds"> {
  const { cleanBy, cleanScore = null, cleanBecause = null, seeds: own } = selection ?? {};
  const ofParent = parent?.evidence.selection?.seeds;
  const then = decision?.rules?.seeds;
  return {
    hypothesis: decision?.hypothesis ?? null,
    clean: cleanBy === undefined ? null : { by: cleanBy, score: cleanScore, because: cleanBecause },
    seeds: then ?? (own === undefined || ofParent === undefined ? null : { own, parent: ofParent }),
  };
}

function measurementOf(
  selection: VersionRecord["evidence"]["selection"],
  training: Measurement["training"],
): Measurement {
  const { score, cleanScore, labels, signals } = selection ?? nothingMeasured;
  return { score, cleanScore, labels, signals, ...(training === undefined ? {} : { training }) };
}

const nothingMeasured: Measurement = { score: null, cleanScore: null, labels: [], signals: {} };

/** The base policy has no parent; the baseline changes nothing of it. */
function kindOf(
  { parent, hypothesis, intervention, origin, factor }: VersionRecord,
  above: VersionRecord | undefined,
): TrainedVersion["kind"] {
  if (parent === null) return "base";
  const changesNothing = hypothesis === undefined && intervention === null && factor === null;
  return changesNothing && origin === undefined && above?.parent === null ? "baseline" : "change";
}

/** Why a version could not be compared: what it was decided by, where nothing else made it invalid. */
function incomparableOf(
  { decision, reason }: { readonly decision: string; readonly reason: string },
  { failure, measured }: Pick<TrainedVersion, "failure" | "measured">,
): string | null {
  const isSpoiled = measured.labels.some((l) => l.invalidates && l.labelled > 0);
  return decision === "invalid" && failure === null && !isSpoiled ? reason : null;
}

/** Ledgers that did not keep the number of candidates have it in the confidence, which was corrected by it. */
function candidatesOf(comparison: Comparison | null, { success }: Terms): number {
  if (comparison === null || comparison.confidence >= 1) return 1;
  return Math.max(1, Math.round((1 - (success?.confidence ?? 0.95)) / (1 - comparison.confidence)));
}
