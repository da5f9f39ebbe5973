/** A label of a list; `under` names another one that is on exactly the same rollouts. */
interface Folded {
  readonly name: string;
  readonly under?: string | undefined;
}

/**
 * The labels that a list gives a row each, with the names of those that are on exactly the same rollouts: one failure is said
 * once. A label whose other one is not in the list keeps its row.
 */
export function foldedLabels<T extends Folded>(labels: readonly T[]): { label: T; also: string[] }[] {
  const names = new Set(labels.map(({ name }) => name));
  const isFolded = ({ under }: T): boolean => under !== undefined && names.has(under);
  return labels
    .filter((label) => !isFolded(label))
    .map((label) => ({
      label,
      also: labels.filter((other) => isFolded(other) && other.under === label.name).map(({ name }) => name),
    }));
}

/** `gives-up (also never-edits, stop-abandon)`. */
export const withAlso = (name: string, also: readonly string[]): string =>
  also.length === 0 ? name : `${name} (also ${also.join(", ")})`;
