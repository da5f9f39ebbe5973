import { RewardSpec } from "../../../shared/spec/reward.ts";
import { describeFilter } from "../backtest/describeFilter.ts";
import { describeReward } from "../backtest/describeReward.ts";
import { replayFilter, type FilterReplay } from "../backtest/filterReplay.ts";
import { replayGroups } from "../backtest/replayGroups.ts";
import { signalsOf } from "../backtest/rewardColumn.ts";
import { replayReward, type RewardReplay } from "../backtest/rewardReplay.ts";
import { loadProjectSpec } from "../project/project.ts";
import { readSpec } from "../project/readSpec.ts";
import type { ProposalPorts } from "./ports.ts";
import { differenceOf, type OutcomeFile } from "./difference/difference.ts";
import { factorOf } from "./outcomeProblems.ts";
import type { Factor } from "../../../shared/spec/common.ts";
import type { ProjectSpec } from "../../../shared/spec/project.ts";
import { replays } from "./search/settings.ts";

type BacktestPorts = Pick<ProposalPorts, "source" | "trainGroups" | "harnessFigures">;

export interface BacktestResult {
  readonly summary: string;
  readonly figures: Record<string, number | null>;
  /** Why it need not be trained; null where it may change something. */
  readonly pruned: string | null;
}

/** A change by the two commits that it lies between; without either of them there is nothing to replay. */
export interface ReplayedChange {
  readonly parent: { readonly name: string | null; readonly commit: string };
  readonly commit: string | null;
}

/** What one change does to its parent's archived rollouts. */
export async function backtestChange(change: ReplayedChange, ports: BacktestPorts): Promise<BacktestResult> {
  const { parent, commit } = change;
  const reading =
    commit === null || parent.name === null
      ? null
      : await ports.harnessFigures({ parent: parent.commit, commit });
  // Whether it is admitted is asked again when it is approved: by then more may be decided.
  if (reading !== null) return { ...reading, pruned: null };
  const replay = await replayOf(change, ports);
  if (typeof replay === "string")
    return { summary: `Cannot be computed offline: ${replay}`, figures: {}, pruned: null };
  return {
    summary: replay.summary,
    figures: figuresOf(replay),
    pruned: replay.prunes ? reasonToPrune(replay.reward) : null,
  };
}

interface Replayed {
  readonly reward: RewardReplay;
  readonly filter: FilterReplay;
  readonly summary: string;
  /**
   * Only a changed reward is pruned: a filter may do in training what it does not do on the archived steps. And only on
   * the evidence of most rollouts: those that lack a component cannot speak for it.
   */
  readonly prunes: boolean;
}

/** The replay of a changed reward or filter, or why there is none, as the end of a sentence. */
async function replayOf(
  { parent, commit }: ReplayedChange,
  ports: BacktestPorts,
): Promise<Replayed | string> {
  if (commit === null || parent.name === null)
    return "it has no parent or no commit, so there is nothing to compare.";
  const spec = await loadProjectSpec(ports.source(parent.commit));
  if (!replays(spec)) return "`search` in evotrainer.yaml turns replays off.";
  const { reward: file } = spec;
  const other = await untold(spec, { parent, commit }, ports);
  if (other !== null)
    return `no archived rollout can tell ${other}; only a changed reward or filter can be replayed.`;
  if (file === undefined)
    return "evotrainer.yaml names no `reward`, and a changed reward or filter is all that can be replayed.";
  const [before, after] = [await rewardAt(parent.commit, file, ports), await rewardAt(commit, file, ports)];
  if (before === null || after === null) return `${file} cannot be read before or after the change.`;
  const rewardChanged = JSON.stringify(before.components) !== JSON.stringify(after.components);
  const filterChanged = JSON.stringify(before.filter) !== JSON.stringify(after.filter);
  if (!rewardChanged && !filterChanged)
    return `it changes neither the reward nor the filter of ${file}, and the archive has no rollouts that were made with this change.`;
  const columns = await ports.trainGroups(parent.name, signalsOf(before, after));
  const groups = replayGroups(columns, { before, after });
  if (groups.groups === 0) return `no group of ${parent.name} in the archive has what ${file} reads.`;
  const reward = replayReward(columns, groups, after);
  const filter = replayFilter(columns, groups, { filter: after.filter, reward: "after" });
  const base = replayFilter(columns, groups, { filter: before.filter, reward: "before" });
  return {
    reward,
    filter: filter.replay,
    summary: [
      ...(rewardChanged ? describeReward(reward, { filterChanges: filterChanged }) : []),
      ...(filterChanged ? describeFilter(after.filter, filter, base) : []),
    ].join(" "),
    prunes:
      rewardChanged &&
      !filterChanged &&
      reward.noOp === true &&
      reward.rollouts >= reward.archived.rollouts / 2,
  };
}

/** What only training can tell of a change, by its factor; null where the change may be one of the reward or of the filter. */
async function untold(
  spec: ProjectSpec,
  { parent, commit }: { readonly parent: ReplayedChange["parent"]; readonly commit: string },
  ports: BacktestPorts,
): Promise<string | null> {
  const named = new Set(spec.surfaces.flatMap((surface) => ("file" in surface ? [surface.file] : [])));
  const files: OutcomeFile[] = [];
  for (const path of named) {
    const before = await ports.source(parent.commit).read(path);
    const after = await ports.source(commit).read(path);
    if (before !== undefined && after !== undefined && before !== after) files.push({ path, before, after });
  }
  const factor = factorOf(spec, files);
  if (factor === null || factor === "reward" || factor === "filter") return null;
  const [place] = differenceOf(files).filter(({ file }) => file !== spec.reward);
  if (factor === "optimisation" && /learning_?rate|(^|[._])lr$/i.test(place?.path ?? ""))
    return "what another learning rate does";
  return untoldOf[factor];
}

const untoldOf: Readonly<Record<Exclude<Factor, "reward" | "filter">, string>> = {
  optimisation: "what another setting of the optimisation does",
  sampling: "what another way of sampling does",
  data: "what other training data does",
  environment: "what another environment does",
  diagnostics: "what other diagnostics find in a version that is not trained yet",
};

function reasonToPrune({ dead, groups }: RewardReplay): string {
  return dead.before === groups
    ? "No-op: no group has any spread with this change either, so training would use none of them."
    : "No-op: group normalisation cancels this change, every advantage stays the same.";
}

async function rewardAt(commit: string, file: string, ports: BacktestPorts): Promise<RewardSpec | null> {
  const text = await ports.source(commit).read(file);
  const read = text === undefined ? undefined : readSpec(file, text, RewardSpec);
  return read?.ok === true ? read.value : null;
}

function figuresOf({ reward, filter }: Replayed): Record<string, number | null> {
  const { dead, violations } = reward;
  return {
    groups: reward.groups,
    rollouts: reward.rollouts,
    dead_before: dead.before,
    dead_after: dead.after,
    revived: dead.revived,
    order_violations: violations.after.rollouts,
    rank_correlation: reward.rankCorrelation,
    kept_groups: filter.keepRatio,
    ...Object.fromEntries(reward.terms.map(({ name, saturation }) => [`saturation_${name}`, saturation])),
  };
}
