import { composeReward } from "../../../shared/model/reward.ts";
import type { Outcome } from "../../../shared/model/rollout.ts";
import type { RewardSpec } from "../../../shared/spec/reward.ts";

/** What a reward replay needs of an archived rollout. */
export interface ReplayRollout {
  readonly outcome: Outcome;
  readonly components: Readonly<Record<string, number>>;
}
export type ReplayGroup = readonly ReplayRollout[];

export interface RewardReplay {
  readonly groups: number;
  readonly rollouts: number;
  /** Groups whose reward spread is ~0, so that they give no gradient, under the old and the new reward. */
  readonly deadBefore: number;
  readonly deadAfter: number;
  /** Dead groups that the new reward gives a spread. */
  readonly revived: number;
  /** Failed rollouts that end up above a passed rollout of their group. */
  readonly orderViolations: number;
  /** Share of rollouts at the maximum of each added or changed term; near 1 it is a constant. */
  readonly saturation: Readonly<Record<string, number>>;
  /** The advantages of every group stay as they are: group normalisation cancels the change. */
  readonly noOp: boolean;
}

const deadSpread = 1e-6;

/** Recomputes the shaped reward of archived groups under another spec (domain.md §5). */
export function replayReward(
  groups: Iterable<ReplayGroup>,
  before: Pick<RewardSpec, "components">,
  after: Pick<RewardSpec, "components">,
): RewardReplay {
  const tally = { groups: 0, rollouts: 0, deadBefore: 0, deadAfter: 0, revived: 0, orderViolations: 0 };
  const changed = changedTerms(before, after);
  const saturated = new Map(changed.map((name) => [name, 0]));
  let noOp = true;
  for (const group of groups) {
    const old = group.map((r) => composeReward(before, r.components));
    const now = group.map((r) => composeReward(after, r.components));
    tally.groups++;
    tally.rollouts += group.length;
    const wasDead = spread(old) < deadSpread;
    const isDead = spread(now) < deadSpread;
    if (wasDead) tally.deadBefore++;
    if (isDead) tally.deadAfter++;
    if (wasDead && !isDead) tally.revived++;
    tally.orderViolations += violations(group, now);
    for (const name of changed) {
      const signal = after.components[name]?.signal ?? name;
      saturated.set(
        name,
        (saturated.get(name) ?? 0) + group.filter((r) => (r.components[signal] ?? 0) >= 1).length,
      );
    }
    noOp &&= sameAdvantages(old, now);
  }
  const saturation = Object.fromEntries(
    [...saturated].map(([name, n]) => [name, tally.rollouts === 0 ? 0 : n / tally.rollouts]),
  );
  return { ...tally, saturation, noOp: noOp && tally.groups > 0 };
}

function changedTerms(
  before: Pick<RewardSpec, "components">,
  after: Pick<RewardSpec, "components">,
): string[] {
  return Object.keys(after.components).filter(
    (name) => JSON.stringify(before.components[name]) !== JSON.stringify(after.components[name]),
  );
}

function violations(group: ReplayGroup, rewards: readonly number[]): number {
  let lowestPass = Infinity;
  group.forEach((r, i) => {
    if (r.outcome === "pass") lowestPass = Math.min(lowestPass, rewards[i] ?? Infinity);
  });
  return group.filter((r, i) => r.outcome === "fail" && (rewards[i] ?? 0) > lowestPass + 1e-12).length;
}

/** GRPO trains on (r − mean) / std, which a positive affine change of the reward leaves as it is. */
function sameAdvantages(a: readonly number[], b: readonly number[]): boolean {
  const [x, y] = [advantages(a), advantages(b)];
  return x.every((v, i) => Math.abs(v - (y[i] ?? 0)) < 1e-9);
}

function advantages(rewards: readonly number[]): number[] {
  const std = spread(rewards);
  const mean = rewards.reduce((s, r) => s + r, 0) / rewards.length;
  return rewards.map((r) => (std < deadSpread ? 0 : (r - mean) / std));
}

/** Population standard deviation. */
function spread(values: readonly number[]): number {
  const mean = values.reduce((s, v) => s + v, 0) / values.length;
  return Math.sqrt(values.reduce((s, v) => s + (v - mean) ** 2, 0) / values.length);
}
