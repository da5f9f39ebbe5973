import type { ShownLabel } from "../../../shared/protocol/views/rollout.ts";

/** Turns that show a label, each once, in order. */
export function evidenceTurns(labels: readonly ShownLabel[], turns: number): number[] {
  return [...new Set(labels.flatMap((label) => label.turns))]
    .filter((index) => index >= 0 && index < turns)
    .sort((a, b) => a - b);
}

/** The labels that each turn shows, by index. */
export function labelsByTurn(labels: readonly ShownLabel[]): ReadonlyMap<number, readonly string[]> {
  const found = new Map<number, string[]>();
  for (const { label, turns } of labels)
    for (const index of turns) found.set(index, [...(found.get(index) ?? []), label]);
  return found;
}

/**
 * Where a key leads from a turn: j and k or the arrows to its neighbours, n and p to the next turn that shows a label, Home
 * and End. Undefined for any other key.
 */
export function turnAfter(
  key: string,
  {
    current,
    turns,
    evidence,
  }: { readonly current: number; readonly turns: number; readonly evidence: readonly number[] },
): number | undefined {
  const clamp = (index: number): number => Math.max(0, Math.min(turns - 1, index));
  switch (key) {
    case "j":
    case "ArrowDown":
      return clamp(current + 1);
    case "k":
    case "ArrowUp":
      return clamp(current - 1);
    case "n":
      return evidence.find((index) => index > current) ?? current;
    case "p":
      return evidence.findLast((index) => index < current) ?? current;
    case "Home":
      return 0;
    case "End":
      return clamp(turns - 1);
    default:
      return undefined;
  }
}
