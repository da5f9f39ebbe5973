/** The turns of a rollout as people count them, from 1; in the archive and in conditions the first has the index 0. */
export const turnNumbers = (indices: readonly number[]): string =>
  `${indices.length === 1 ? "turn" : "turns"} ${indices.map((index) => index + 1).join(", ")}`;
