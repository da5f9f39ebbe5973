import { zeroSpread } from "../../../shared/model/groupSpread.ts";
import { activeTerms, type RewardTerms } from "../../../shared/reward/reward.ts";
import { counted, percent } from "../../../shared/words/numbers.ts";
import { outcomeCodes, type GroupColumns } from "../evidence/queries/groupColumns.ts";
import { groupSpreads } from "./groupSpreads.ts";
import type { ReplayGroups } from "./replayGroups.ts";
import { addTerm, signalOf } from "./rewardColumn.ts";

/** Groups whose rewards differ although every outcome is the same: there the policy learns the shaping, and nothing else. */
export interface PhantomSignal {
  readonly before: number;
  readonly after: number;
  /** Groups with a spread under the new reward, and those of them in which an unknown outcome leaves it open. */
  readonly living: number;
  readonly undecided: number;
  /**
   * What differs in the phantom groups of the new reward: the part of each term in the variance of the reward there, the
   * largest first. The parts add up to 1; one is negative where a term works against the others.
   */
  readonly terms: readonly { readonly name: string; readonly part: number }[];
}

/**
 * Whether rollouts of a group passed and others failed: true as soon as one of each is known, and null where an unknown
 * outcome could be the other one.
 */
export function outcomesDiffer({ outcomes, offsets }: ReplayGroups, g: number): boolean | null {
  const own = outcomes.subarray(offsets[g], offsets[g + 1]);
  const has = (outcome: keyof typeof outcomeCodes): boolean => own.includes(outcomeCodes[outcome]);
  if (has("pass") && has("fail")) return true;
  return has("unknown") ? null : false;
}

/** Counts the phantom groups under the old and the new reward; `spec` is what the new one is composed by. */
export function phantomSignal(
  columns: GroupColumns,
  replayed: ReplayGroups,
  spec: RewardTerms,
): PhantomSignal {
  const stds = (rewards: Float64Array): Float64Array => groupSpreads(rewards, replayed.offsets).stds;
  const [before, after] = [stds(replayed.before), stds(replayed.after)];
  const found = { before: 0, after: 0, living: 0, undecided: 0 };
  const phantoms: number[] = [];
  for (let g = 0; g < replayed.groups; g++) {
    const differ = outcomesDiffer(replayed, g);
    if (differ === false && (before[g] ?? 0) > zeroSpread) found.before++;
    if (!((after[g] ?? 0) > zeroSpread)) continue;
    found.living++;
    if (differ === null) found.undecided++;
    else if (!differ) phantoms.push(g);
  }
  return { ...found, after: phantoms.length, terms: partsOf(phantoms, columns, replayed, spec) };
}

/** By covariance: the variance of a sum is the sum of the covariances of its terms with it. */
function partsOf(
  groups: readonly number[],
  columns: GroupColumns,
  { after, rowOf, offsets }: ReplayGroups,
  spec: RewardTerms,
): PhantomSignal["terms"] {
  if (groups.length === 0) return [];
  const covariances = activeTerms(spec).map(({ name, signal, term }) => {
    const values = new Float64Array(columns.rollouts);
    addTerm(values, signalOf(columns, signal).values, term);
    let sum = 0;
    for (const g of groups) {
      const [from, to] = [offsets[g] ?? 0, offsets[g + 1] ?? 0];
      let [mean, products] = [0, 0];
      for (let i = from; i < to; i++) mean += (after[i] ?? 0) / (to - from);
      for (let i = from; i < to; i++) products += (values[rowOf[i] ?? 0] ?? 0) * ((after[i] ?? 0) - mean);
      // Each group counts by its variance, not by how many rollouts it has.
      sum += products / (to - from);
    }
    return { name, sum };
  });
  const total = covariances.reduce((all, { sum }) => all + sum, 0);
  return covariances
    .map(({ name, sum }) => ({ name, part: sum / total }))
    .filter(({ part }) => Math.abs(part) > 1e-6)
    .sort((a, b) => b.part - a.part);
}

/** What other filters make of the phantom groups, each with what it keeps of all groups. */
export interface FilterChoice {
  readonly kind: "none" | "std" | "outcome";
  readonly kept: number;
  readonly phantoms: number;
}

/** What was found, in sentences; none where no group is known to be a phantom, before or after. */
export function describePhantom(
  { before, after, living, undecided, terms }: PhantomSignal,
  filters: readonly FilterChoice[],
): string[] {
  if (before + after === 0) return [];
  const open = undecided === 0 ? "" : `; in ${undecided} an unknown outcome leaves it open`;
  const differs =
    terms.length === 0
      ? ""
      : ` What differs there: ${terms.map(({ name, part }) => `${name} ${percent(part)}`).join(", ")} of the reward's variance.`;
  const told = [
    `Phantom signal (rewards differ although all outcomes of the group are the same): ${before} → ${counted(after, "group")} of ${living} with a spread${open}.${differs}`,
  ];
  if (after > 0)
    told.push(
      `Groups kept, and phantom ones among them, by the kind of filter: ${filters.map((f) => `${f.kind} ${f.kept} and ${f.phantoms}`).join(", ")}.`,
    );
  return told;
}
