import { counted } from "../../../../shared/words/numbers.ts";
import { fatesOf, type Fates } from "../../changes/fates.ts";
import {
  isBad,
  isTested,
  shiftsBetween,
  shiftText,
  shiftVerdict,
  type LabelShift,
} from "../../changes/labelShift.ts";
import { assertComparableIn } from "../project/comparable.ts";
import { usableDiagnostics } from "../project/usableDiagnostics.ts";
import { commonSplit } from "../workspace/openSplit.ts";
import { defineService } from "../workspace/service.ts";

/** How the rate of every label changed from version `a` to version `b`. Stores nothing. */
export const versionsLabels = defineService("versions.labels", {
  repeatable: true,
  async run({ store, root }, { a, b, split: asked, with: given }) {
    const doubts = await assertComparableIn(root, a, b);
    const split = await commonSplit(store, [a, b], asked);
    const { diagnostics, problems } = await usableDiagnostics(root, given);
    const before = await fatesOf(store, { split, version: a }, diagnostics);
    const after = await fatesOf(store, { split, version: b }, diagnostics);
    const order = diagnostics.map(({ name }) => name);
    const shifts = shiftsBetween(before, after, order);
    const bad = new Set(diagnostics.filter(isBad).map(({ name }) => name));
    const told = shifts.map((s) => {
      const verdict = shiftVerdict(s, bad.has(s.label));
      return { ...s, says: shiftText(s), ...(verdict === undefined ? {} : { verdict }) };
    });
    const notes = [...notesOf({ a, b }, before, after, shifts), ...doubts];
    return { a, b, split, shifts: told, notes, problems };
  },
});

function notesOf(
  names: { readonly a: string; readonly b: string },
  before: Fates,
  after: Fates,
  shifts: readonly LabelShift[],
): string[] {
  const missing = [
    ...(before.rollouts.length === 0 ? [names.a] : []),
    ...(after.rollouts.length === 0 ? [names.b] : []),
  ];
  if (missing.length > 0) return [`There are no rollouts of ${missing.join(" and ")} in this split.`];
  if (shifts.length === 0) return ["There are no diagnostics, and no label is stored."];
  const notes: string[] = [];
  const tested = shifts.filter(isTested);
  if (tested.length > 1)
    notes.push(
      `${tested.length} labels are tested at once: a change counts only if p stays below 0.05 after Holm's correction; the intervals are not corrected.`,
    );
  if (tested.some((s) => s.method === "Newcombe, items as clusters" && s.commonItems === 0))
    notes.push("The versions have no item in common, so they are compared as independent samples.");
  const few = Math.min(...tested.map((s) => Math.min(s.a.items, s.b.items)));
  if (few < 10)
    notes.push(`With ${counted(few, "item")} the intervals are too narrow; do not trust their ends.`);
  const seeds = (fates: Fates): number => new Set(fates.rollouts.map((r) => r.seed)).size;
  if (Math.min(seeds(before), seeds(after)) <= 1)
    notes.push("There is one seed: the intervals cover items and samples, but not another training run.");
  return notes;
}
