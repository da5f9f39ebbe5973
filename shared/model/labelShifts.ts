import { foldedLabels } from "./foldedLabels.ts";

interface Shift {
  readonly label: string;
  readonly a: { readonly labelled: number };
  readonly b: { readonly labelled: number };
  /** p after the correction for all labels. */
  readonly adjusted: number | null;
  readonly kind: string;
  /** Another label that is on exactly the same rollouts. */
  readonly under?: string | undefined;
}

const changes: ReadonlySet<string> = new Set(["appeared", "vanished", "rose", "fell"]);

/** Whether a shift is a change beyond the noise. */
export const isChange = ({ kind }: Pick<Shift, "kind">): boolean => changes.has(kind);

/**
 * The label shifts worth a row each, changes first, and how many labels are left out: those that were looked for in both
 * versions and are on no rollout of either. What is on the same rollouts as another label has no row: `also` names it.
 */
export function shiftsToShow<T extends Shift>(
  shifts: readonly T[],
): {
  readonly shown: readonly T[];
  readonly also: (label: string) => readonly string[];
  readonly never: number;
} {
  const rows = foldedLabels(shifts.map((shift) => ({ name: shift.label, under: shift.under, shift })));
  const also = new Map(rows.map(({ label, also: names }) => [label.name, names]));
  const shown = rows
    .map(({ label }) => label.shift)
    .filter(({ kind, a, b }) => kind !== "within_noise" || a.labelled + b.labelled > 0)
    .sort((x, y) => (x.adjusted ?? 2) - (y.adjusted ?? 2) || (x.label < y.label ? -1 : 1));
  return { shown, also: (label) => also.get(label) ?? [], never: rows.length - shown.length };
}
