import { nearestCases } from "../../server/src/memory/cases/nearest.ts";
import type { Case } from "../../server/src/memory/cases/case.ts";
import { parentReplay, replayIdea } from "../../server/src/proposals/search/replayIdeas.ts";
import type { GroupColumns } from "../../server/src/evidence/queries/groupColumns.ts";
import { seededRandom } from "../../server/src/base/random.ts";
import { RewardSpec } from "../../shared/spec/reward.ts";
import { least, type BenchRow } from "../row.ts";

/** The nearest of 10,000 cases, and 200 changed rewards replayed on 200,000 rollouts that were read already. */
export function benchSearch(): BenchRow[] {
  return [nearest(10_000), replays(200, 200_000)];
}

function nearest(count: number): BenchRow {
  const random = seededRandom(1);
  const profile = () => ({
    rates: new Map(
      Array.from({ length: 30 }, (_, i) => [`label-${i}`, { labelled: Math.ceil(random() * 100), of: 100 }]),
    ),
    alerts: [],
  });
  const cases = Array.from({ length: count }, (_, i): Case => ({
    ...{ version: `v${i}`, parent: "v1", factor: "optimisation", template: null, triggers: [] },
    edits: [{ type: "value", file: "a.yaml", path: `p${i % 50}`, from: 1, to: random() * 4 }],
    ...{ profile: profile(), effect: null, decision: "reject", ended: "noise", seconds: null },
  }));
  const question = {
    change: { factor: "optimisation" as const, edits: cases[0]?.edits ?? [] },
    profile: profile(),
  };
  const times = Array.from({ length: 5 }, () => timed(() => nearestCases([...cases], question, 10)));
  return {
    ...{ name: "search: nearest of 10,000 cases", measured: least(times), target: 50, unit: "ms" },
    detail: "30 labels each",
  };
}

function replays(ideas: number, rollouts: number): BenchRow {
  const random = seededRandom(2);
  const group = 8;
  const column = () => ({
    ...{ missing: 0, notFinite: 0 },
    values: Float64Array.from({ length: rollouts }, () => Math.round(random() * 10) / 10),
  });
  const groups = rollouts / group;
  const columns: GroupColumns = {
    ...{ rollouts, groups, runs: ["run"], runOf: new Uint32Array(groups) },
    offsets: Uint32Array.from({ length: groups + 1 }, (_, g) => g * group),
    stepOf: Float64Array.from({ length: groups }, (_, g) => Math.floor(g / 24)),
    outcomes: Uint8Array.from({ length: rollouts }, () => Math.round(random())),
    rids: Float64Array.from({ length: rollouts }, (_, i) => i),
    ...{ reward: column(), signals: new Map(["a", "b", "c"].map((name) => [name, column()])) },
  };
  const labelled = new Map(
    Array.from({ length: 8 }, (_, i) => [
      `label-${i}`,
      Uint8Array.from({ length: rollouts }, () => (random() < 0.2 ? 1 : 0)),
    ]),
  );
  const reward = (b: number): RewardSpec =>
    RewardSpec.parse({
      ...{ apiVersion: "evotrainer/v1", kind: "Reward", name: "main" },
      components: { a: { weight: 1, shape: "flat" }, b: { weight: b }, c: { weight: 0.5 } },
    });
  const before = reward(0);
  const measured = timed(() => {
    const parent = parentReplay({ columns, labelled }, before);
    for (let i = 1; i <= ideas; i++) replayIdea(parent, reward(i / ideas));
  });
  return {
    ...{ name: "search: 200 ideas replayed", measured, target: 10_000, unit: "ms" },
    detail: "on 200,000 rollouts in groups of 8, 8 labels; reading them from the archive is not in it",
  };
}

function timed(work: () => unknown): number {
  const start = performance.now();
  work();
  return performance.now() - start;
}
