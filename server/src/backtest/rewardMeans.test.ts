import assert from "node:assert/strict";
import { writeFile } from "node:fs/promises";
import { RewardSpec } from "../../../shared/spec/reward.ts";
import {
  makeRollout,
  makeWorkspace,
  toLine,
  type Workspace,
} from "../../../test/support/evidence/evidence.ts";
import type { Store } from "../evidence/archive/store.ts";
import { ingestFile } from "../evidence/ingest/ingest.ts";
import { rewardMeans } from "./rewardMeans.ts";

const spec = RewardSpec.parse({
  apiVersion: "evotrainer/v1",
  kind: "Reward",
  name: "main",
  components: {
    tests: { shape: "linear", weight: 2 },
    tidy: { shape: "linear", weight: 0.5 },
    off: { shape: "linear", weight: 0 },
  },
});

describe("what a reward gives on the mean", () => {
  let workspace: Workspace;
  let store: Store;
  before(async () => {
    workspace = await makeWorkspace();
    store = await workspace.open();
    const of = (
      i: number,
      outcome: "pass" | "fail" | "unknown",
      reward: number | null,
      components: Record<string, number>,
    ) => makeRollout({ id: `r-${i}`, item: `i-${i}`, split: "selection", outcome, reward, components });
    const rollouts = [
      of(0, "pass", 2.5, { tests: 1, tidy: 1 }),
      of(1, "pass", 2, { tests: 1, tidy: 0 }),
      of(2, "fail", 2.25, { tests: 0.5, tidy: 1 }),
      of(3, "fail", 0, { tests: 0 }),
      of(4, "fail", null, { tests: 0, tidy: 0 }),
      of(5, "unknown", 2.5, { tests: 1, tidy: 1 }),
      { ...of(6, "fail", 2.5, { tests: 1, tidy: 1 }), split: "audit" as const },
    ];
    const path = workspace.file("rollouts.jsonl");
    await writeFile(path, rollouts.map((rollout) => toLine({ ...rollout, run: "r" })).join(""));
    await ingestFile(store, { path, kind: "rollouts", run: "r", version: "v1" });
  });
  after(() => workspace.remove());

  it("is computed separately for passed and failed rollouts, by the terms that count, over those that have the signal", async () => {
    assert.deepEqual(await rewardMeans(store, spec, { version: "v1", split: "selection" }), [
      {
        outcome: "pass",
        rollouts: 2,
        paid: 0,
        reward: 2.25,
        terms: [
          { name: "tests", adds: 2 },
          { name: "tidy", adds: 0.25 },
        ],
      },
      {
        outcome: "fail",
        rollouts: 3,
        // One failure got 2.25, the median of the two passes.
        paid: 1,
        reward: 1.125,
        terms: [
          { name: "tests", adds: 1 / 3 },
          { name: "tidy", adds: 0.25 },
        ],
      },
    ]);
  });

  it("is nothing for a version without rollouts", async () =>
    assert.deepEqual(await rewardMeans(store, spec, { version: "v2", split: "selection" }), []));
});
