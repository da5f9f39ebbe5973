import { wordsFor } from "./bits.ts";
import { turnWords, wordsOnce, type TurnCondition } from "./turnConditions.ts";

/**
 * A query of the rollouts of which an edited file meets a condition, with a bit per condition in the words `b0` …, among those
 * of a query of `rid`. Most rollouts edit no file that is named. The files are rows here, because an expression that goes through
 * a list takes several times as long.
 */
export function editedFilesAsked(conditions: readonly TurnCondition[], rollouts: string): string {
  const listed = `SELECT a.rid, unnest(a.edited_files) AS file FROM actions a JOIN (${rollouts}) r ON r.rid = a.rid WHERE len(a.edited_files) > 0`;
  const words = wordsOnce(turnWords(conditions));
  const names = wordsFor(conditions.length).map((word) => `b${word}`);
  const either = names.map((name) => `bit_or(${name}) AS ${name}`);
  const met = names.map((name) => `${name} <> 0`);
  return `SELECT rid, ${either.join(", ")} FROM (SELECT rid, ${words.join(", ")} FROM (${listed})) WHERE ${met.join(" OR ")} GROUP BY rid`;
}
