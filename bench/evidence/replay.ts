import { replayFilter } from "../../server/src/backtest/filterReplay.ts";
import { replayGroups } from "../../server/src/backtest/replayGroups.ts";
import { signalsOf } from "../../server/src/backtest/rewardColumn.ts";
import { replayReward } from "../../server/src/backtest/rewardReplay.ts";
import { ensureFeatures } from "../../server/src/evidence/store/derived.ts";
import { groupColumns } from "../../server/src/evidence/queries/groupColumns.ts";
import { openStore } from "../../server/src/evidence/archive/store.ts";
import { RewardSpec } from "../../shared/spec/reward.ts";
import { least, type BenchRow } from "../row.ts";
import { forget } from "./forget.ts";

const before = RewardSpec.parse({
  apiVersion: "evotrainer/v1",
  kind: "Reward",
  name: "before",
  components: { tests: { shape: "flat", weight: 1 }, format: { weight: 0.1 } },
});
const after = RewardSpec.parse({
  ...before,
  name: "after",
  components: {
    tests: { shape: "linear", weight: 1 },
    format: { weight: 0.1 },
    length: { weight: -0.2 },
    streak: { signal: "rollout.longest_tool_streak", above: 4, weight: -0.02 },
  },
  filter: { kind: "std" },
});

/** Another reward and filter replayed over every training rollout of an archive, and the reading of what that needs. */
export async function benchReplay(options: {
  readonly database: string;
  readonly rounds: number;
}): Promise<BenchRow[]> {
  const store = await openStore({ path: options.database, evidenceRoot: "/", threads: 2 });
  try {
    await ensureFeatures(store);
    const [loads, replays, processor]: [number[], number[], number[]] = [[], [], []];
    let told = "";
    for (let round = 0; round < options.rounds; round++) {
      await forget(store);
      let start = performance.now();
      const columns = await groupColumns(store, { split: "train" }, { signals: signalsOf(before, after) });
      loads.push(performance.now() - start);
      start = performance.now();
      const startedAt = process.cpuUsage();
      const groups = replayGroups(columns, { before, after });
      const reward = replayReward(columns, groups, after);
      const filter = replayFilter(columns, groups, { filter: after.filter, reward: "after" });
      const kept = replayFilter(columns, groups, { filter: before.filter, reward: "before" });
      replays.push(performance.now() - start);
      const used = process.cpuUsage(startedAt);
      processor.push((used.user + used.system) / 1000);
      if (reward.rollouts === 0 || reward.noOp !== false) throw new Error("The replay replayed nothing.");
      told = `${reward.rollouts} rollouts in ${reward.groups} groups, ${columns.signals.size} signals; dead ${reward.dead.before} to ${reward.dead.after}, kept ${kept.replay.kept} to ${filter.replay.kept}`;
    }
    return [
      {
        // It is one thread that waits for nothing: on a quiet machine this is its time, on a busy one still what it takes.
        name: "reward and filter replay, processor time",
        measured: least(processor),
        target: 200,
        unit: "ms",
        detail: `${told}; ${least(replays).toFixed(0)} ms on the clock`,
      },
      {
        name: "reading the columns of a replay",
        measured: least(loads),
        target: 1000,
        unit: "ms",
        detail: "from the archive to one array per signal, without the replay",
      },
    ];
  } finally {
    await store.close();
  }
}
