import { meanAndStd, zeroSpread } from "../../../shared/model/groupSpread.ts";
import { counted, percentOf, plural, value } from "../../../shared/words/numbers.ts";
import type { GroupColumns } from "../evidence/queries/groupColumns.ts";

/** What training saw of labelled rollouts: the advantages as they were, against those without these rollouts. */
export interface WithoutLabelled {
  /** Labelled rollouts that have a reward, and those of them whose reward is 0. */
  readonly rewarded: number;
  readonly zero: number;
  /** Groups with at least two rewards, and those of them with a labelled one. */
  readonly groups: number;
  readonly touched: number;
  /** Groups with a gradient, and those of them that have none without the labelled rollouts. */
  readonly living: number;
  readonly onlyBy: number;
  /** The other rollouts of the touched groups: whose advantage changes its sign, becomes 0, or was 0 and is not. */
  readonly others: number;
  readonly flipped: number;
  readonly vanished: number;
  readonly appeared: number;
  /** Mean of |advantage as trained − advantage without| over these others; null where there are none. */
  readonly shift: number | null;
}

/** Advantages nearer to 0 than this are rounding. */
const noAdvantage = 1e-6;
const signOf = (advantage: number): number => (Math.abs(advantage) < noAdvantage ? 0 : Math.sign(advantage));

/** Compares the advantages, (reward − mean) / std of the group, with those of the group without its labelled rollouts. */
export function withoutLabelled(columns: GroupColumns, labelled: ReadonlySet<number>): WithoutLabelled {
  const { offsets, rids, reward } = columns;
  const found = {
    ...{ rewarded: 0, zero: 0, groups: 0, touched: 0, living: 0, onlyBy: 0 },
    ...{ others: 0, flipped: 0, vanished: 0, appeared: 0 },
  };
  let shift = 0;
  for (let g = 0; g < columns.groups; g++) {
    const all: { readonly reward: number; readonly out: boolean }[] = [];
    for (let i = offsets[g] ?? 0; i < (offsets[g + 1] ?? 0); i++) {
      const own = reward.values[i] ?? NaN;
      if (Number.isFinite(own)) all.push({ reward: own, out: labelled.has(rids[i] ?? -1) });
    }
    const out = all.filter((r) => r.out);
    found.rewarded += out.length;
    found.zero += out.filter((r) => r.reward === 0).length;
    if (all.length < 2) continue;
    found.groups++;
    const trained = advantagesOf(all.map((r) => r.reward));
    if (trained.std > zeroSpread) found.living++;
    if (out.length === 0) continue;
    found.touched++;
    const rest = all.filter((r) => !r.out);
    const without = advantagesOf(rest.map((r) => r.reward));
    if (trained.std > zeroSpread && !(without.std > zeroSpread)) found.onlyBy++;
    for (const { reward } of rest) {
      const [was, is] = [trained.of(reward), without.of(reward)];
      found.others++;
      shift += Math.abs(was - is);
      if (signOf(was) * signOf(is) < 0) found.flipped++;
      else if (signOf(was) !== 0 && signOf(is) === 0) found.vanished++;
      else if (signOf(was) === 0 && signOf(is) !== 0) found.appeared++;
    }
  }
  return { ...found, shift: found.others === 0 ? null : shift / found.others };
}

function advantagesOf(rewards: readonly number[]): {
  readonly std: number;
  readonly of: (reward: number) => number;
} {
  const { mean, std } = meanAndStd(rewards);
  return { std, of: (reward) => (std > zeroSpread ? (reward - mean) / std : 0) };
}

/** One sentence after the other; none where no labelled rollout has a reward. */
export function describeWithoutLabelled(version: string, found: WithoutLabelled): string[] {
  const { rewarded, zero, groups, touched, living, onlyBy, others, flipped, vanished, appeared } = found;
  if (rewarded === 0) return [];
  const entered = `${version}: ${counted(rewarded, "labelled rollout")} ${plural(rewarded, "has", "have")} a reward, ${zero} of them 0.`;
  if (touched === 0)
    return [`${entered} None shares a group with another reward, so no advantage depends on them.`];
  const gradient = `Without them ${onlyBy} of ${counted(living, "group")} with a gradient ${plural(onlyBy, "has", "have")} none (${percentOf(onlyBy, living)}).`;
  const signs = `Of the ${counted(others, "other rollout")} in ${touched} of ${counted(groups, "group")}, ${flipped} change the sign of their advantage, ${vanished} lose it and ${appeared} gain one; it moves by ${value(found.shift ?? 0)} on average.`;
  return [entered, ...(living === 0 ? [] : [gradient]), ...(others === 0 ? [] : [signs])];
}
