/** How many turns of a rollout a reader is sent to. */
export const mostNamed = 3;

/**
 * The turns of a rollout that a reader should look at first, at most three, in the order of the rollout: of each label the first
 * turn that shows it, then of each the last, then of each the one in the middle. Labels are given the most severe first.
 */
export function namedTurns(labels: readonly { readonly turns: readonly number[] }[]): number[] {
  const found = new Set<number>();
  const places = [0, -1, 0.5];
  for (const place of places)
    for (const { turns } of labels) {
      const at = place < 0 ? turns.length - 1 : Math.floor(place * turns.length);
      const turn = turns[at];
      if (turn !== undefined && found.size < mostNamed) found.add(turn);
    }
  return [...found].sort((a, b) => a - b);
}
