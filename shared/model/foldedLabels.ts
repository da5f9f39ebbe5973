import { percent } from "../words/numbers.ts";

/** A label of a list; `under` names another one that is on the same rollouts, or on nearly the same. */
interface Folded {
  readonly name: string;
  readonly under?: string | undefined;
  /** How many rollouts carry it, or which share of them. */
  readonly labelled?: number | undefined;
  readonly rate?: number | null | undefined;
}

/**
 * The labels that a list gives a row each, with the names of those that are on the same rollouts: one failure is said once. A
 * label whose other one is not in the list keeps its row. `said` has the names with their own count, or share, where that is
 * another one: those are on nearly the same rollouts.
 */
export function foldedLabels<T extends Folded>(
  labels: readonly T[],
): { label: T; also: string[]; said: string[] }[] {
  const names = new Set(labels.map(({ name }) => name));
  const isFolded = ({ under }: T): boolean => under !== undefined && names.has(under);
  return labels
    .filter((label) => !isFolded(label))
    .map((label) => {
      const others = labels.filter((other) => isFolded(other) && other.under === label.name);
      return {
        label,
        also: others.map(({ name }) => name),
        said: others.map((other) => `${other.name}${ownNumber(other, label)}`),
      };
    });
}

function ownNumber({ labelled, rate }: Folded, of: Folded): string {
  if (labelled !== undefined && labelled !== of.labelled) return ` on ${labelled}`;
  return typeof rate === "number" && rate !== of.rate ? ` on ${percent(rate)}` : "";
}

/** Whether two labels differ in how many rollouts carry them. */
export const differInNumber = (a: Folded, b: Folded): boolean => ownNumber(a, b) !== "";

/** `gives-up (also never-edits, stop-abandon on 97)`. */
export const withAlso = (name: string, also: readonly string[]): string =>
  also.length === 0 ? name : `${name} (also ${also.join(", ")})`;
