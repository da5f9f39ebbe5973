interface Shift {
  readonly label: string;
  readonly a: { readonly labelled: number };
  readonly b: { readonly labelled: number };
  /** p after the correction for all labels. */
  readonly adjusted: number | null;
  readonly kind: string;
}

/**
 * The label shifts worth a row each, changes first, and how many labels are left out: those that were looked for in both
 * versions and are on no rollout of either.
 */
export function shiftsToShow<T extends Shift>(
  shifts: readonly T[],
): { readonly shown: readonly T[]; readonly never: number } {
  const shown = shifts
    .filter(({ kind, a, b }) => kind !== "within_noise" || a.labelled + b.labelled > 0)
    .sort((x, y) => (x.adjusted ?? 2) - (y.adjusted ?? 2) || (x.label < y.label ? -1 : 1));
  return { shown, never: shifts.length - shown.length };
}
