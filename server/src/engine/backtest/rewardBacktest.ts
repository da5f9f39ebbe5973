import { isDeepStrictEqual } from "node:util";
import { setImmediate } from "node:timers/promises";
import { GroupFilter, isDerived, type RewardSpec } from "../../../../shared/spec/reward.ts";
import { describeFilter } from "../../backtest/describeFilter.ts";
import { describeReward } from "../../backtest/describeReward.ts";
import { describeTruncation } from "../../backtest/describeTruncation.ts";
import { zeroSpread } from "../../../../shared/model/groupSpread.ts";
import { groupSpreads } from "../../backtest/groupSpreads.ts";
import { overFilteringShare, replayFilter, type FilterReplay } from "../../backtest/filterReplay.ts";
import { describePhantom, outcomesDiffer, type FilterChoice } from "../../backtest/phantomSignal.ts";
import { replayGroups, type ReplayGroups } from "../../backtest/replayGroups.ts";
import { signalOf, signalsOf } from "../../backtest/rewardColumn.ts";
import { replayReward, type RewardReplay } from "../../backtest/rewardReplay.ts";
import { replayTruncation, type TruncationReplay } from "../../backtest/truncationReplay.ts";
import { componentNames, groupColumns, type GroupColumns } from "../../evidence/queries/groupColumns.ts";
import type { Store } from "../../evidence/archive/store.ts";
import type { VersionReward } from "../project/versionReward.ts";

/** Limits on the length of rollouts to replay besides the reward. */
export interface LengthLimits {
  readonly turns?: readonly number[];
  readonly tokens?: readonly number[];
}

/** One version under another reward and filter. */
export interface RewardBacktest {
  readonly version: string;
  readonly split: "train" | "selection";
  /** What it was compared with. */
  readonly base:
    | { readonly type: "spec"; readonly commit: string; readonly file: string; readonly name: string }
    | { readonly type: "archived"; readonly because: string };
  readonly reward: RewardReplay;
  /** `before` is null where the filter of the version is not known. */
  readonly filter: {
    readonly before: FilterReplay | null;
    readonly after: FilterReplay;
    /** Every kind of filter on the new reward; the kind of the spec with its settings, the others with the defaults. */
    readonly kinds: readonly FilterChoice[];
  };
  readonly truncation: { readonly turns?: TruncationReplay; readonly tokens?: TruncationReplay };
  /** What was found, one sentence each, the most important first. */
  readonly summary: readonly string[];
  /** Whether it speaks against the spec: a no-op, nothing to replay, or a filter that starves the training. */
  readonly concern: boolean;
  readonly milliseconds: { readonly reading: number; readonly replay: number };
}

const lengthSignals = { turns: "rollout.n_turns", tokens: "rollout.tokens" } as const;
const units = ["turns", "tokens"] as const;

/**
 * Replays a reward spec on the archived groups of a version, against the reward that the version trained with.
 * @throws HarnessError cancelled
 */
export async function backtestReward(
  store: Store,
  request: {
    readonly version: string;
    readonly split: "train" | "selection";
    readonly spec: RewardSpec;
    readonly base: VersionReward;
    readonly limits: LengthLimits;
    readonly signal: AbortSignal;
  },
): Promise<RewardBacktest> {
  const { version, split, spec, base, limits, signal } = request;
  const before = base.type === "spec" ? base.spec : "archived";
  const asked = units.filter((unit) => (limits[unit] ?? []).length > 0);
  const started = performance.now();
  const columns = await groupColumns(
    store,
    { split, version },
    { signals: [...signalsOf(before, spec), ...asked.map((unit) => lengthSignals[unit])], signal },
  );
  const read = performance.now();
  const groups = replayGroups(columns, { before, after: spec });
  const reward = replayReward(columns, groups, spec);
  const after = replayFilter(columns, groups, { filter: spec.filter, reward: "after" });
  const current =
    base.type === "spec"
      ? replayFilter(columns, groups, { filter: base.spec.filter, reward: "before" })
      : null;
  const filters = filterChoices(columns, groups, spec.filter);
  const truncation: { turns?: TruncationReplay; tokens?: TruncationReplay } = {};
  for (const unit of asked)
    truncation[unit] = replayTruncation(
      signalOf(columns, lengthSignals[unit]).values,
      columns.outcomes,
      limits[unit] ?? [],
    );
  const replayed = performance.now();
  // Without a spec of the version nobody knows its filter: then a filter changes something if it drops a group that was recorded.
  const filterChanges =
    base.type === "spec"
      ? !isDeepStrictEqual(base.spec.filter, spec.filter)
      : after.replay.kept < after.replay.groups;
  const isSameReward = base.type === "spec" && isDeepStrictEqual(base.spec.components, spec.components);
  const summary = [
    ...(filterChanges && isSameReward
      ? ["The reward is as before: only the filter changes."]
      : describeReward(reward, { filterChanges })),
    ...describePhantom(reward.phantom, filters),
    ...(await absentComponents(store, { columns, signals: signalsOf(before, spec), version, split })),
    ...describeFilter(spec.filter, after, current),
    ...asked.flatMap((unit) => {
      const replay = truncation[unit];
      return replay === undefined ? [] : describeTruncation(unit, replay);
    }),
  ];
  // A long list of versions must not keep other requests waiting.
  await setImmediate();
  return {
    version,
    split,
    base:
      base.type === "spec"
        ? { type: "spec", commit: base.commit, file: base.file, name: base.spec.name }
        : base,
    reward,
    filter: { before: current?.replay ?? null, after: after.replay, kinds: filters },
    truncation,
    summary,
    concern:
      reward.groups === 0 ||
      (reward.noOp === true && !filterChanges) ||
      (after.replay.keepRatio ?? 1) < overFilteringShare,
    milliseconds: { reading: Math.round(read - started), replay: Math.round(replayed - read) },
  };
}

function filterChoices(columns: GroupColumns, groups: ReplayGroups, own: GroupFilter): FilterChoice[] {
  const { stds } = groupSpreads(groups.after, groups.offsets);
  const phantom = [...stds].map((std, g) => std > zeroSpread && outcomesDiffer(groups, g) === false);
  return (["none", "std", "outcome"] as const).map((kind) => {
    const filter = own.kind === kind ? own : GroupFilter.parse({ kind });
    const { keeps, replay } = replayFilter(columns, groups, { filter, reward: "after" });
    return {
      kind,
      kept: replay.kept,
      phantoms: keeps.filter((keep, g) => keep && phantom[g] === true).length,
    };
  });
}

/** Where a component is in no rollout, its name may be mistyped: say which there are. */
async function absentComponents(
  store: Store,
  of: {
    readonly columns: GroupColumns;
    readonly signals: readonly string[];
    readonly version: string;
    readonly split: "train" | "selection";
  },
): Promise<string[]> {
  const { columns, version, split } = of;
  const absent = of.signals.filter(
    (name) => !isDerived(name) && signalOf(columns, name).missing === columns.rollouts,
  );
  if (absent.length === 0 || columns.rollouts === 0) return [];
  const names = await componentNames(store, { split, version });
  return [
    `No rollout has ${absent.join(" or ")}; ${names.length === 0 ? "the evidence has no components" : `the evidence has ${names.join(", ")}`}.`,
  ];
}
