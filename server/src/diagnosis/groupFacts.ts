import { zeroSpread } from "../../../shared/model/groupSpread.ts";
import type { Rollout } from "../../../shared/model/rollout.ts";
import { editedFiles } from "../evidence/contract/actions.ts";
import { featuresOf } from "../evidence/contract/features.ts";
import { namedFacts, type Facts } from "../predicate/facts.ts";

/** The facts of one group in memory: the same values as its row of the table `groups` (groups.ts). */
export function groupFacts(rollouts: readonly Rollout[]): Facts {
  const [first] = rollouts;
  const count = (outcome: Rollout["outcome"]): number => rollouts.filter((r) => r.outcome === outcome).length;
  const [passes, fails, unknowns] = (["pass", "fail", "unknown"] as const).map(count);
  const rewards = rollouts.flatMap(({ reward }) => (reward === null ? [] : [reward]));
  return namedFacts({
    run: first?.run,
    step: first?.step,
    item: first?.item,
    group: first?.group,
    size: rollouts.length,
    passes,
    fails,
    unknowns,
    pass_rate: passes === undefined || passes + (fails ?? 0) === 0 ? null : passes / (passes + (fails ?? 0)),
    all_passed: allEnded(rollouts, "pass"),
    all_failed: allEnded(rollouts, "fail"),
    outcomes_differ: outcomesDiffer(rollouts.filter(({ reward }) => reward !== null)),
    reward_mean: lackRewards(rollouts) ? null : mean(rewards),
    reward_std: earnedSpread(rollouts),
    reward_min: rewards.length === 0 ? null : Math.min(...rewards),
    reward_max: rewards.length === 0 ? null : Math.max(...rewards),
    tokens_mean: mean(rollouts.flatMap(({ tokens }) => (tokens === null ? [] : [tokens]))),
    turns_mean: mean(
      rollouts.flatMap(({ turns }) => (turns.length === 0 ? [] : [featuresOf(turns).n_turns])),
    ),
    file_overlap: overlapOf(rollouts),
  });
}

/** As `allEnded` of the archive. */
function allEnded(rollouts: readonly Rollout[], wanted: "pass" | "fail"): boolean | null {
  if (rollouts.length < 2) return null;
  if (rollouts.some(({ outcome }) => outcome !== wanted && outcome !== "unknown")) return false;
  return rollouts.some(({ outcome }) => outcome === "unknown") ? null : true;
}

/** As `outcomesDiffer` of the archive. */
function outcomesDiffer(rewarded: readonly Rollout[]): boolean | null {
  const has = (outcome: Rollout["outcome"]): boolean => rewarded.some((r) => r.outcome === outcome);
  if (has("pass") && has("fail")) return true;
  return rewarded.length === 0 || has("unknown") ? null : false;
}

/**
 * As `earnedSpread` of the archive: the reward of a rollout that broke is not one that the policy earned, and one that is missing of
 * all passes may differ from those of the failures.
 */
function earnedSpread(rollouts: readonly Rollout[]): number | null {
  const isGraded = rollouts.some(({ outcome }) => outcome !== "unknown");
  const broke = ({ outcome, reward }: Rollout): boolean =>
    isGraded && outcome === "unknown" && reward !== null;
  const earned = rollouts.flatMap((r) => (r.reward === null || broke(r) ? [] : [r.reward]));
  const middle = mean(earned);
  if (middle === null || earned.length < 2) return null;
  const spread = Math.sqrt(mean(earned.map((x) => (x - middle) ** 2)) ?? 0);
  return spread > zeroSpread || !(rollouts.some(broke) || lackRewards(rollouts)) ? spread : null;
}

const lackRewards = (rollouts: readonly Rollout[]): boolean =>
  (["pass", "fail"] as const).some((outcome) => {
    const having = rollouts.filter((r) => r.outcome === outcome);
    return having.length > 0 && having.every(({ reward }) => reward === null);
  });

/** Mean Jaccard similarity of the files edited, over the pairs of rollouts that both edited one. */
function overlapOf(rollouts: readonly Rollout[]): number | null {
  const files = rollouts.map(({ turns }) => editedFiles(turns)).filter((set) => set.size > 0);
  const pairs: number[] = [];
  files.forEach((a, i) => {
    for (const b of files.slice(i + 1)) {
      const common = [...a].filter((file) => b.has(file)).length;
      pairs.push(common / (a.size + b.size - common));
    }
  });
  return mean(pairs);
}

const mean = (values: readonly number[]): number | null =>
  values.length === 0 ? null : values.reduce((a, b) => a + b, 0) / values.length;
