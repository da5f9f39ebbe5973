import { createHash } from "node:crypto";
import type { Measured } from "../../../../shared/ledger/ledger.ts";
import type { VersionRecord } from "../../lineage/records/versionRecord.ts";
import { compareText } from "../../expression/compare.ts";
import type { ExamChange, ExamDraft, ExamEffect, LeftOutReason } from "./examDraft.ts";

/** What a version of another tool recorded: its solve rate, and what the tool decided by. */
const solveRateOf = ({ evidence }: VersionRecord): number | null => evidence.selection?.score?.value ?? null;

function measuredOf({ evidence }: VersionRecord): (Measured & { readonly value: number }) | null {
  const measured = evidence.selection?.measured;
  return measured === undefined || measured.value === null ? null : { ...measured, value: measured.value };
}

/** What a version of another tool did to the score of its parent, or why nobody can say it. */
export function importedEffect(version: VersionRecord, parent: VersionRecord): ExamEffect | LeftOutReason {
  if (version.decision?.decision === "invalid") return { effect: -Infinity, by: "score", metric: null };
  const compared = version.decisions.findLast(({ comparison }) => comparison !== null)?.comparison;
  if (compared?.against === parent.name)
    return { effect: compared.difference, by: "comparison", metric: null };
  const [rate, rateBefore] = [solveRateOf(version), solveRateOf(parent)];
  if (rate !== null && rateBefore !== null) return { effect: rate - rateBefore, by: "score", metric: null };
  const [own, before] = [measuredOf(version), measuredOf(parent)];
  if (own === null) return rate === null ? "unscored" : "parentUnscored";
  if (before === null) return rateBefore === null ? "parentUnscored" : "otherMetric";
  if (own.metric !== before.metric) return "otherMetric";
  if (own.direction === null) return "noDirection";
  const difference = own.direction === "higher" ? own.value - before.value : before.value - own.value;
  return { effect: difference, by: "score", metric: own.metric };
}

/**
 * A version of another tool as a draft. What is told of it is from before its outcome: the files, a plan, a factor. Its title,
 * its note and its status are not, since logs are written when a run has ended.
 */
export function importedDraft(
  version: VersionRecord,
  {
    effect,
    change,
    score,
  }: { readonly effect: ExamEffect; readonly change: ExamChange; readonly score: string },
): ExamDraft | LeftOutReason {
  const plan = version.origin?.plan ?? "";
  const factor = version.factor ?? change.factor;
  if (change.edits.length === 0 && plan === "" && factor === null) return "undescribed";
  return {
    ...effect,
    version: version.name,
    name: version.name,
    factor,
    idea: {
      origin: "intervention",
      spec: {
        ...{ apiVersion: "evotrainer/v1", kind: "Intervention", name: version.name },
        // An intervention has to have one; what nobody said is the same for all drafts, and ranks none of them.
        factor: factor ?? "reward",
        edit: [...change.edits],
        hypothesis: { change: factor ?? "files", metric: score, direction: "increase", because: plan },
        ...{ targets: [], predicts: { fixes: [], risks: [] }, guardrails: [] },
        success: { metric: score, atLeast: 0, confidence: 0.95 },
        rollback: "revert",
      },
      declared: null,
      isOpenEnded: false,
    },
  };
}

/** Drafts under names and in an order that tell nothing: names that other tools give may say how a run ended, and when it was. */
export function withoutTraces(drafts: readonly ExamDraft[]): ExamDraft[] {
  const told = drafts.map((draft) => {
    const { edit, hypothesis } = draft.idea.spec;
    const text = JSON.stringify([edit, draft.factor, hypothesis.because]);
    return { draft, key: createHash("sha256").update(text).digest("hex") };
  });
  return told
    .sort((a, b) => compareText(a.key, b.key))
    .map(({ draft }, i) => {
      const name = `draft-${i + 1}`;
      return { ...draft, name, idea: { ...draft.idea, spec: { ...draft.idea.spec, name } } };
    });
}
