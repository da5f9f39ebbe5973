import type { ShownDecision } from "../words/decisions.ts";

interface Scored {
  readonly decision: ShownDecision;
  readonly score: number | null;
  /** The score without what an invalidating label found. */
  readonly cleanScore: number | null;
}

/** Whether the score of a version says what the version can do: not where an invalidating label was found in its rollouts. */
export const isTrusted = ({ decision }: Pick<Scored, "decision">): boolean => decision !== "invalid";

/**
 * The score by which a version is ranked, sorted and called best or highest, in [0, 1]: its own, or of an invalid one the score
 * without what was found. Null where there is none.
 */
export const countedScore = (version: Scored): number | null =>
  isTrusted(version) ? version.score : version.cleanScore;
