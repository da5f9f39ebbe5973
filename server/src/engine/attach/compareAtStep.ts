import type { FollowTotals } from "../../../../shared/protocol/results/evidenceFollow.ts";
import type { DiagnosticFile } from "../../../../shared/protocol/results/diagnosticFile.ts";
import type { Split } from "../../../../shared/model/rollout.ts";
import { HarnessError } from "../../base/errors.ts";
import { fatesOf } from "../../changes/fates.ts";
import { isTested, shiftsBetween, shiftText } from "../../changes/labelShift.ts";
import type { Store } from "../../evidence/archive/store.ts";
import { scopeCondition, type SplitScope } from "../../evidence/store/split.ts";
import { numberOf } from "../../evidence/store/rows.ts";
import { assertComparableIn } from "../project/comparable.ts";
import { usableDiagnostics } from "../project/usableDiagnostics.ts";
import { metricsAt, newestSteps } from "./standing.ts";

type FollowedComparison = NonNullable<FollowTotals["comparison"]>;

interface Sides {
  readonly ours: string;
  readonly theirs: string;
  readonly split: Exclude<Split, "audit">;
  /** The steps of ours that are whole, in ascending order. */
  readonly whole: readonly number[];
  readonly with: readonly DiagnosticFile[];
}

/**
 * Compares a followed version with an archived one at the newest step that both have whole, or says in a sentence why that
 * cannot be done. Stores nothing. @throws HarnessError specInvalid
 */
export async function compareAtStep(
  store: Store,
  root: string,
  { ours, theirs, split, whole, with: given }: Sides,
): Promise<FollowedComparison | string> {
  const step = await newestCommon(store, { split }, theirs, whole);
  if (step === undefined)
    return `${theirs} is not compared yet: the run that you follow has not finished a step at which ${theirs} has rollouts of the ${split} split.`;
  let doubts: readonly string[];
  try {
    doubts = await assertComparableIn(root, theirs, ours);
  } catch (e) {
    // The run is followed all the same.
    if (!HarnessError.is(e, "notComparable")) throw e;
    return `${theirs} is not compared: ${e.message}`;
  }
  const at = (version: string) => ({ split, version, atStep: step }) as const;
  const [[own], [other]] = [await newestSteps(store, at(ours)), await newestSteps(store, at(theirs))];
  if (own === undefined || other === undefined)
    return `${theirs} is not compared: the archive no longer has step ${step}.`;
  const { diagnostics, problems } = await usableDiagnostics(root, given);
  const before = await fatesOf(store, at(theirs), diagnostics);
  const after = await fatesOf(store, at(ours), diagnostics);
  const metrics = new Map((await metricsAt(store, theirs, step)).map(({ name, value }) => [name, value]));
  const shifts = shiftsBetween(before, after).filter(({ a, b }) => a.labelled + b.labelled > 0);
  const tested = shifts.filter(isTested).length;
  return {
    with: theirs,
    step,
    ours: own,
    theirs: other,
    labels: shifts.map((shift) => ({
      label: shift.label,
      ours: shift.b.rate,
      theirs: shift.a.rate,
      difference: shift.difference,
      low: shift.low,
      high: shift.high,
      says: shiftText(shift),
    })),
    metrics: (await metricsAt(store, ours, step)).flatMap(({ name, value }) => {
      const value2 = metrics.get(name);
      return value2 === undefined ? [] : [{ name, ours: value, theirs: value2 }];
    }),
    notes: [
      ...doubts,
      ...(tested > 1 ? [`${tested} labels are tested; a change counts only after Holm's correction.`] : []),
      ...problems,
    ],
  };
}

/** The newest of the steps at which a version has rollouts. */
async function newestCommon(
  store: Store,
  scope: Extract<SplitScope, { split: Exclude<Split, "audit"> }>,
  version: string,
  steps: readonly number[],
): Promise<number | undefined> {
  const where = scopeCondition({ ...scope, version });
  const rows = await store.query({
    sql: `SELECT DISTINCT r.step FROM rollouts r WHERE ${where.sql}`,
    params: where.params,
  });
  const theirs = new Set(rows.map((row) => numberOf(row, "step")));
  return steps.findLast((step) => theirs.has(step));
}
