import * as z from "zod";

const Switch = z.enum(["on", "off"]).default("on");

/** By what the search orders its ideas. */
const rankings = ["evidence", "score", "random"] as const;

/**
 * `search` in evotrainer.yaml: what the built-in search goes by. Each switch takes one thing away from it, to measure what
 * that is worth.
 */
export const SearchSpec = z.strictObject({
  ranking: z
    .enum(rankings)
    .default("evidence")
    .describe(
      "evidence: by what was found, replayed and measured. score: by the measured scores of earlier changes alone; findings, replays and promises count for nothing. random: in an order that the first of trainer.seeds gives.",
    ),
  backtests: Switch.describe(
    "off: nothing is replayed on the archive, neither to rank ideas nor to drop proposals.",
  ),
  memory: Switch.describe(
    "off: the search ranks without the effects of earlier changes and without skills. It still tries nothing twice.",
  ),
  feedback: Switch.describe(
    "off: the search does not learn how earlier changes ended, so that it only knows which it has tried.",
  ),
  costs: Switch.describe("off: what an idea costs to train does not count."),
});
export type SearchSpec = z.infer<typeof SearchSpec>;
