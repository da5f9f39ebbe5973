import type { OpenSplit } from "../../../../shared/protocol/results/openSplit.ts";
import { RewardSpec } from "../../../../shared/spec/reward.ts";
import { HarnessError } from "../../base/errors.ts";
import { numberOf } from "../../evidence/store/rows.ts";
import type { Store } from "../../evidence/archive/store.ts";
import { describeProblems } from "../../project/project.ts";
import { readSpec } from "../../project/readSpec.ts";
import { backtestReward as backtest, type RewardBacktest } from "./rewardBacktest.ts";
import { versionRewards } from "../project/versionReward.ts";

import { defineService } from "../workspace/service.ts";

/**
 * A reward spec replayed on archived versions. The spec comes as its text, so that an editor can ask about one that is not
 * saved; `path` is what messages call it.
 */
export const backtestReward = defineService("backtest.reward", {
  repeatable: true,
  async run({ store, root }, { path, text, versions, split, turnLimits, tokenLimits }, { signal, progress }) {
    const read = readSpec(path, text, RewardSpec);
    if (!read.ok) throw new HarnessError("specInvalid", describeProblems(read.problems));
    const spec = read.value;
    const rewards = await versionRewards(root, versions);
    const results: RewardBacktest[] = [];
    for (const [done, version] of versions.entries()) {
      progress({ message: version, done, total: versions.length });
      results.push(
        await backtest(store, {
          version,
          split: split ?? (await trainedSplit(store, version)),
          spec,
          base: rewards.get(version) ?? { type: "archived", because: "it was not looked up" },
          limits: { turns: turnLimits ?? [], tokens: tokenLimits ?? [] },
          signal,
        }),
      );
    }
    return { spec: spec.name, results };
  },
});

/** A reward acts on what is trained on; imported evidence may have evaluations only. */
export async function trainedSplit(store: Store, version: string): Promise<OpenSplit> {
  const [row = {}] = await store.query({
    sql: "SELECT count(*) AS n FROM rollouts WHERE version = ? AND split = 'train'",
    params: [version],
  });
  return numberOf(row, "n") > 0 ? "train" : "selection";
}
