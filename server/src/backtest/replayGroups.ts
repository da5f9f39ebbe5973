import type { GroupColumns } from "../evidence/queries/groupColumns.ts";
import { pick } from "./pick.ts";
import { rewardColumn, signalOf, signalsOf, type RewardSource } from "./rewardColumn.ts";

/** What a replay had to leave out, and why. */
export interface LeftOut {
  /** Rollouts without a finite reward under the old or the new spec; they take no part in either. */
  readonly rollouts: number;
  /** Groups that lost some of their rollouts so, and are judged by the others. */
  readonly incompleteGroups: number;
  /** Groups with fewer than two rollouts left: there is nothing to compare with. */
  readonly singles: number;
  /** Signals that rollouts lack, or have as NaN or an infinity. `reward` is the archived one. */
  readonly lacking: readonly {
    readonly signal: string;
    readonly missing: number;
    readonly notFinite: number;
  }[];
}

/** The groups that can be replayed, without what cannot. */
export interface ReplayGroups {
  readonly groups: number;
  readonly rollouts: number;
  /** Group g has the rollouts from `offsets[g]` up to `offsets[g + 1]`. */
  readonly offsets: Uint32Array;
  readonly before: Float64Array;
  readonly after: Float64Array;
  readonly outcomes: Uint8Array;
  /** Places in the columns that it was made from. */
  readonly rowOf: Uint32Array;
  readonly groupOf: Uint32Array;
  readonly leftOut: LeftOut;
}

/** Both rewards of every rollout that has them, group by group. */
export function replayGroups(
  columns: GroupColumns,
  rewards: { readonly before: RewardSource; readonly after: RewardSource },
): ReplayGroups {
  const before = rewardColumn(columns, rewards.before);
  const after = rewardColumn(columns, rewards.after);
  const rowOf = new Uint32Array(columns.rollouts);
  const groupOf = new Uint32Array(columns.groups);
  const offsets = new Uint32Array(columns.groups + 1);
  let [rows, groups, lost, incompleteGroups, singles] = [0, 0, 0, 0, 0];
  for (let g = 0; g < columns.groups; g++) {
    const [from, to] = [columns.offsets[g] ?? 0, columns.offsets[g + 1] ?? 0];
    const start = rows;
    for (let i = from; i < to; i++)
      if (Number.isFinite((before[i] ?? NaN) + (after[i] ?? NaN))) rowOf[rows++] = i;
    const left = rows - start;
    lost += to - from - left;
    if (left < 2) {
      singles++;
      rows = start;
      continue;
    }
    if (left < to - from) incompleteGroups++;
    groupOf[groups] = g;
    offsets[++groups] = rows;
  }
  const kept = rowOf.subarray(0, rows);
  const outcomes = new Uint8Array(rows);
  for (let i = 0; i < rows; i++) outcomes[i] = columns.outcomes[kept[i] ?? 0] ?? 0;
  return {
    groups,
    rollouts: rows,
    offsets: offsets.subarray(0, groups + 1),
    before: pick(before, kept),
    after: pick(after, kept),
    outcomes,
    rowOf: kept,
    groupOf: groupOf.subarray(0, groups),
    leftOut: { rollouts: lost, incompleteGroups, singles, lacking: lackingOf(columns, rewards) },
  };
}

function lackingOf(
  columns: GroupColumns,
  { before, after }: { readonly before: RewardSource; readonly after: RewardSource },
): LeftOut["lacking"] {
  const read = signalsOf(before, after).map((signal) => ({ signal, ...signalOf(columns, signal) }));
  if (before === "archived" || after === "archived") read.push({ signal: "reward", ...columns.reward });
  return read
    .filter(({ missing, notFinite }) => missing + notFinite > 0)
    .map(({ signal, missing, notFinite }) => ({ signal, missing, notFinite }));
}
