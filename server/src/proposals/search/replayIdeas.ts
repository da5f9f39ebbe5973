import { zeroSpread } from "../../../../shared/model/groupSpread.ts";
import { RewardSpec } from "../../../../shared/spec/reward.ts";
import { replayFilter } from "../../backtest/filterReplay.ts";
import { groupSpreads, type GroupSpreads } from "../../backtest/groupSpreads.ts";
import { replayGroups, type ReplayGroups } from "../../backtest/replayGroups.ts";
import { rewardColumn, signalsOf } from "../../backtest/rewardColumn.ts";
import type { GroupColumns } from "../../evidence/queries/groupColumns.ts";
import { readSpec } from "../../project/readSpec.ts";
import { paidMostIn, type PaidMost } from "./paidMost.ts";

/** What a changed reward or filter does to the archived rollouts of the parent. */
export interface IdeaReplay {
  readonly groups: number;
  readonly rollouts: number;
  /** Groups that teach nothing because their rewards are equal, before and after. */
  readonly dead: { readonly before: number; readonly after: number };
  /** Groups that the filter lets through, before and after; null where it stays as it is. */
  readonly kept: { readonly before: number; readonly after: number } | null;
  /** Nothing that training sees would differ, told from most of the archived rollouts. */
  readonly isNoOp: boolean;
  /** By label: the mean advantage of the rollouts that carry it, before and after; a fall discourages them. */
  readonly labels: readonly LabelMove[];
  /** How the rollouts ended that a new term of the reward pays most; null without one, or where too few have it. */
  readonly paidMost: PaidMost | null;
}

export interface LabelMove {
  readonly label: string;
  readonly rollouts: number;
  readonly before: number;
  readonly after: number;
}

/** The archive of one version, read once for all ideas. */
export interface IdeaArchive {
  readonly columns: GroupColumns;
  /** By label the rollouts of the columns that carry it: 1 at their places. */
  readonly labelled: ReadonlyMap<string, Uint8Array>;
}

/** Fewer rollouts with a label say nothing of what a reward does to them. */
const leastLabelled = 20;
/** Advantages that differ by less are the same but for rounding. */
const sameAdvantage = 1e-6;

/** The reward of a file's text; null where it is none. */
export function rewardIn(file: string, text: string | null | undefined): RewardSpec | null {
  const read = text === null || text === undefined ? undefined : readSpec(file, text, RewardSpec);
  return read?.ok === true ? read.value : null;
}

/** The signals that any of the rewards reads. */
export function allSignals(rewards: readonly RewardSpec[]): string[] {
  return [...new Set(rewards.flatMap((reward) => signalsOf(reward)))].sort();
}

/** The parent's side of every replay: it is the same for all ideas, and computed once. */
export interface ParentReplay {
  readonly archive: IdeaArchive;
  readonly before: RewardSpec;
  /** Of the parent's reward alone. */
  readonly side: Side;
  readonly paidMost: ReturnType<typeof paidMostIn>;
}

interface Side {
  readonly replayed: ReplayGroups;
  readonly was: Advantages;
  /** By label, the places in `replayed` of the rollouts that carry it, and their mean advantage. */
  readonly labels: readonly { readonly label: string; readonly at: Uint32Array; readonly mean: number }[];
}

export function parentReplay(archive: IdeaArchive, before: RewardSpec): ParentReplay {
  const side = sideOf(archive, replayGroups(archive.columns, { before, after: before }));
  return { archive, before, side, paidMost: paidMostIn(archive.columns, before) };
}

function sideOf({ labelled }: IdeaArchive, replayed: ReplayGroups): Side {
  const was = advantagesOf(replayed, replayed.before);
  const labels = [...labelled].map(([label, mask]) => {
    const at = carriersIn(mask, replayed);
    return { label, at, mean: meanAt(was.values, at) };
  });
  return { replayed, was, labels };
}

/** What an idea does on the archive; null where its reward and filter stay as they are, or nothing is archived. */
export function replayIdea(parent: ParentReplay, after: RewardSpec): IdeaReplay | null {
  const { archive, before } = parent;
  const { columns } = archive;
  const rewardChanged = JSON.stringify(before.components) !== JSON.stringify(after.components);
  const filterChanged = JSON.stringify(before.filter) !== JSON.stringify(after.filter);
  if (!rewardChanged && !filterChanged) return null;
  const { replayed, was, labels } = sideFor(parent, after);
  if (replayed.groups === 0) return null;
  const is = rewardChanged ? advantagesOf(replayed, replayed.after) : was;
  const kept = filterChanged ? keptGroups(columns, replayed, before, after) : null;
  const isSame = was.values.every((value, i) => Math.abs(value - (is.values[i] ?? 0)) < sameAdvantage);
  return {
    groups: replayed.groups,
    rollouts: replayed.rollouts,
    dead: { before: deadIn(was.spreads), after: deadIn(is.spreads) },
    kept,
    isNoOp: isSame && !filterChanged && replayed.rollouts >= columns.rollouts / 2,
    labels: labels.flatMap(({ label, at, mean }) =>
      at.length < leastLabelled
        ? []
        : [{ label, rollouts: at.length, before: mean, after: meanAt(is.values, at) }],
    ),
    paidMost: parent.paidMost(after),
  };
}

/** The parent's side for one idea: another one only where the idea's reward lacks signals that the parent's has. */
function sideFor({ archive, before, side }: ParentReplay, after: RewardSpec): Side {
  const rewards = rewardColumn(archive.columns, after);
  const { rowOf } = side.replayed;
  const own = new Float64Array(rowOf.length);
  for (let i = 0; i < own.length; i++) {
    const reward = rewards[rowOf[i] ?? 0] ?? NaN;
    if (!Number.isFinite(reward)) return sideOf(archive, replayGroups(archive.columns, { before, after }));
    own[i] = reward;
  }
  return { ...side, replayed: { ...side.replayed, after: own } };
}

interface Advantages {
  readonly spreads: GroupSpreads;
  readonly values: Float64Array;
}

function advantagesOf({ groups, offsets }: ReplayGroups, rewards: Float64Array): Advantages {
  const spreads = groupSpreads(rewards, offsets);
  const values = new Float64Array(rewards.length);
  for (let g = 0; g < groups; g++) {
    const [mean, std] = [spreads.means[g] ?? 0, spreads.stds[g] ?? 0];
    if (std <= zeroSpread) continue;
    for (let i = offsets[g] ?? 0; i < (offsets[g + 1] ?? 0); i++)
      values[i] = ((rewards[i] ?? 0) - mean) / std;
  }
  return { spreads, values };
}

function deadIn({ stds }: GroupSpreads): number {
  let dead = 0;
  for (const std of stds) if (std <= zeroSpread) dead++;
  return dead;
}

function keptGroups(
  columns: GroupColumns,
  replayed: ReplayGroups,
  before: RewardSpec,
  after: RewardSpec,
): IdeaReplay["kept"] {
  const is = replayFilter(columns, replayed, { filter: after.filter, reward: "after" });
  const was = replayFilter(columns, replayed, { filter: before.filter, reward: "before" });
  const groups = (share: number | null): number => Math.round((share ?? 0) * replayed.groups);
  return { before: groups(was.replay.keepRatio), after: groups(is.replay.keepRatio) };
}

function carriersIn(mask: Uint8Array, { rowOf }: ReplayGroups): Uint32Array {
  const at = new Uint32Array(rowOf.length);
  let count = 0;
  for (let i = 0; i < rowOf.length; i++) if (mask[rowOf[i] ?? 0] === 1) at[count++] = i;
  return at.subarray(0, count);
}

function meanAt(values: Float64Array, at: Uint32Array): number {
  let sum = 0;
  for (let i = 0; i < at.length; i++) sum += values[at[i] ?? 0] ?? 0;
  return at.length === 0 ? 0 : sum / at.length;
}

/** Dead groups are what these findings are about, and this metric. */
const ofDeadGroups: ReadonlySet<string> = new Set(["insufficient-signal", "dead-group", "dead_group_ratio"]);

/** What counts as worse: dead groups as a share of all, advantages in standard deviations of a group. */
const worse = { dead: 0.02, label: 0.05 } as const;

/** What a replay says of a finding: above 0 it gets rarer, in [-1, 1]; null where a replay cannot say. */
export function signalFor(finding: string, replay: IdeaReplay): number | null {
  if (ofDeadGroups.has(finding)) return (replay.dead.before - replay.dead.after) / replay.groups;
  const label = replay.labels.find((move) => move.label === finding);
  return label === undefined ? null : Math.max(-1, Math.min(1, label.before - label.after));
}

/** Whether a finding gets clearly worse. */
export function getsWorse(finding: string, replay: IdeaReplay): boolean {
  const signal = signalFor(finding, replay);
  return signal !== null && signal < -(ofDeadGroups.has(finding) ? worse.dead : worse.label);
}

/** Whether it gets clearly better. */
export function getsBetter(finding: string, replay: IdeaReplay): boolean {
  const signal = signalFor(finding, replay);
  return signal !== null && signal > (ofDeadGroups.has(finding) ? worse.dead : worse.label);
}
