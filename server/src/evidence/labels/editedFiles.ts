import { wordsFor } from "./bits.ts";
import { turnWords, wordsOnce, type TurnCondition } from "./turnConditions.ts";

/**
 * A query of the rollouts of which an edited file meets a condition, with a bit per condition in the words `b0` …, among those
 * of a query of `rid`. Most rollouts edit no file that is named, and many edit the same one, which is asked once. The files are rows
 * here, because an expression that goes through a list takes several times as long.
 */
export function editedFilesAsked(conditions: readonly TurnCondition[], rollouts: string): string {
  const listed = `SELECT a.rid, unnest(a.edited_files) AS file FROM actions a JOIN (${rollouts}) r ON r.rid = a.rid WHERE len(a.edited_files) > 0`;
  const words = wordsOnce(turnWords(conditions));
  const names = wordsFor(conditions.length).map((word) => `b${word}`);
  const asked = `SELECT file, ${words.join(", ")} FROM (SELECT DISTINCT file FROM listed)`;
  const either = names.map((name) => `bit_or(${name}) AS ${name}`);
  const met = names.map((name) => `${name} <> 0`);
  return `WITH listed AS MATERIALIZED (${listed})
          SELECT rid, ${either.join(", ")} FROM listed JOIN (${asked}) USING (file) WHERE ${met.join(" OR ")} GROUP BY rid`;
}
