import type { RewardMeans } from "../../../../shared/protocol/results/shift.ts";
import { rewardMeans } from "../../backtest/rewardMeans.ts";
import { versionRewards } from "../project/versionReward.ts";
import { defineService } from "../workspace/service.ts";

/** What the reward of each version gives its passed and its failed rollouts on the mean, term by term. Stores nothing. */
export const versionsRewards = defineService("versions.rewards", {
  repeatable: true,
  async run({ store, root }, { versions, split }) {
    const rewards = await versionRewards(root, versions);
    const found: RewardMeans[] = [];
    for (const version of versions) {
      const reward = rewards.get(version);
      found.push(
        reward?.type === "spec"
          ? { version, outcomes: await rewardMeans(store, reward.spec, { version, split }) }
          : { version, because: reward?.because ?? "it is not known", outcomes: [] },
      );
    }
    return found;
  },
});
