import { yamlWord } from "../../base/yaml.ts";
import type { FoundRun } from "./findRuns.ts";
import { rewardedIn } from "./verdict.ts";

/** A `*.reward.yaml` that stands for a reward that is code, and what could not be known of it. */
export interface ObservedReward {
  readonly text: string;
  readonly unknown: readonly string[];
}

/** Fields of dumps that are numbers and no part of a reward. */
const others = new Set(["step", "score", "reward", "index", "request_id", "uid", "epoch"]);
const isName = (name: string): boolean => /^[a-z0-9][a-z0-9_-]{0,63}$/.test(name);

/**
 * What rollouts show of a reward that `code` computes: the reward itself with weight 1, and each number that it returned beside,
 * with weight 0, because how the code combines them is not in the rollouts. Null where no rollout has a reward.
 */
export async function observedReward(
  runs: readonly FoundRun[],
  code: string,
): Promise<ObservedReward | null> {
  const seen = new Map<string, { count: number; same: number; low: number; high: number }>();
  let lines = 0;
  for await (const record of rewardedIn(runs)) {
    lines++;
    const reward = Number(record["score"] ?? record["reward"]);
    const parts = record["components"];
    const numbers = { ...record, ...(typeof parts === "object" && parts !== null ? parts : {}) };
    for (const [name, told] of Object.entries(numbers)) {
      const value = typeof told === "boolean" ? Number(told) : told;
      if (others.has(name) || typeof value !== "number" || !Number.isFinite(value)) continue;
      const one = seen.get(name) ?? { count: 0, same: 0, low: Infinity, high: -Infinity };
      seen.set(name, {
        count: one.count + 1,
        same: one.same + Number(value === reward),
        low: Math.min(one.low, value),
        high: Math.max(one.high, value),
      });
    }
  }
  if (lines === 0) return null;
  const named = [...seen].filter(([name]) => isName(name)).sort(([a], [b]) => (a < b ? -1 : 1));
  const unnamed = [...seen.keys()].filter((name) => !isName(name));
  const text = [
    `# Made by \`evotrainer init --from\` of what ${lines} rollouts show. The reward itself is code, ${inComment(code)}, which was not read:`,
    "# how it makes the score of its parts is not known, so the score counts as a whole, and each part has weight 0.",
    "# Give the parts their weights, and score 0, once you know them. Your trainer does not read this file; backtests do.",
    "apiVersion: evotrainer/v1",
    "kind: Reward",
    "name: observed",
    "components:",
    `  score: { weight: 1 } # what the code returned, in all ${lines} rollouts that were looked at`,
    ...named.map(
      ([name, { count, same, low, high }]) =>
        `  ${yamlWord(name)}: { weight: 0 } # in ${count} of them, from ${low} to ${high}${same === count ? "; always equal to the score" : ""}`,
    ),
    "",
  ].join("\n");
  return {
    text,
    unknown: [
      `How ${code} makes the score of ${named.length === 0 ? "what it sees: the rollouts have no number beside the score, so return its parts from the reward function" : named.map(([name]) => name).join(", ")}; harness/observed.reward.yaml has the score as a whole, and nobody proposes changes to it.`,
      ...(unnamed.length === 0
        ? []
        : [
            `What a part of the reward is that cannot be a name in a reward spec: ${unnamed.slice(0, 6).join(", ")}.`,
          ]),
    ],
  };
}

const inComment = (text: string): string => text.replaceAll(/\s+/g, " ").slice(0, 200);
