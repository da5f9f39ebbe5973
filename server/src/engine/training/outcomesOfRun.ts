import { join } from "node:path";
import { HarnessError } from "../../base/errors.ts";
import { parseRollout } from "../../evidence/contract/parse.ts";
import { openEvidence, readLines } from "../../evidence/contract/readLines.ts";
import { collectOutcomes, type ItemOutcomes } from "../../statistics/scores/outcomes.ts";

/**
 * What a run measured on the selection split, read from its file: the archive does not have the rollouts of a run that
 * counts for no version. Null where it wrote none.
 */
export async function outcomesOfRun(runDirectory: string): Promise<ItemOutcomes[] | null> {
  const rollouts: Parameters<typeof collectOutcomes>[0] extends Iterable<infer T> ? T[] : never = [];
  try {
    const file = await openEvidence(join(runDirectory, "rollouts.jsonl"));
    try {
      for await (const lines of readLines(file, 0))
        for (const line of lines) {
          const parsed = parseRollout(line);
          if (parsed.type !== "record" || parsed.record.split !== "selection") continue;
          const { item, outcome, seed } = parsed.record;
          rollouts.push({ item, outcome, seed });
        }
    } finally {
      await file.close();
    }
  } catch (e) {
    if (HarnessError.is(e, "notFound")) return null;
    throw e;
  }
  return rollouts.length === 0 ? null : collectOutcomes(rollouts);
}
