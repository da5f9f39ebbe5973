// A namespace, so that a webview carries only the part of zod that it uses.
import * as z from "zod";
import { OpenSplit } from "./openSplit.ts";

/** How many of the rollouts of every item passed in each version. */
export const VersionItems = z.object({
  versions: z.array(z.string()),
  invalid: z.array(z.string()).describe("Those of them that are not valid: what they solved does not count."),
  older: z.number().describe("Versions before these that were left out because no versions were named."),
  split: OpenSplit,
  total: z.number().describe("Items in all, also those behind the limit."),
  items: z.array(
    z.object({
      item: z.string(),
      changes: z.number().describe("How often most of its rollouts went from passed to failed or back."),
      cells: z
        .array(z.object({ passes: z.number(), known: z.number(), rollouts: z.number() }).nullable())
        .describe("One per version; null where the version has no rollout of the item."),
    }),
  ),
});
export type VersionItems = z.infer<typeof VersionItems>;

/** The solve rate of each seed of a version, as a share in [0, 1]. */
export const SeedScores = z.object({
  version: z.string(),
  seeds: z.array(z.object({ seed: z.number(), score: z.number() })),
});
export type SeedScores = z.infer<typeof SeedScores>;
