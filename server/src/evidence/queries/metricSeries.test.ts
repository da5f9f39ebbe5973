import assert from "node:assert/strict";
import { writeFile } from "node:fs/promises";
import type { Store } from "../store/database.ts";
import { importPaths } from "../../../../test/support/evidence/import.ts";
import { metricNames, metricSeries } from "./metricSeries.ts";
import { makeWorkspace, toLine, type Workspace } from "../../../../test/support/evidence/evidence.ts";

describe("metricSeries", () => {
  let place: Workspace;
  let store: Store;
  beforeEach(async () => {
    place = await makeWorkspace();
    store = await place.open();
    const bring = async (name: string, version: string, of: (step: number) => object): Promise<void> => {
      const lines = Array.from({ length: 1000 }, (_, step) => toLine({ step, data: of(step) }));
      await writeFile(place.file(name), lines.join(""));
      await importPaths(store, [place.file(name)], { as: "verl-metrics", version });
    };
    await bring("a.jsonl", "v", (step) => ({ reward: step, kl: step === 3 ? null : 0.5 }));
    await bring("b.jsonl", "v", (step) => ({ reward: step + 100 }));
    await bring("c.jsonl", "w", (step) => ({ reward: step / 2 }));
  });
  afterEach(() => place.remove());

  it("gives no more points than asked for, with mean and ends over steps and runs, on one axis", async () => {
    const series = await metricSeries(store, { versions: ["v", "w"], names: ["reward"], points: 10 });
    assert.deepEqual(
      series.map(({ version, runs, points }) => [version, runs, points.length]),
      [
        ["v", 2, 10],
        ["w", 1, 10],
      ],
    );
    assert.deepEqual(series[0]?.points[0], { step: 49.5, values: 200, mean: 99.5, min: 0, max: 199 });
    assert.deepEqual(series[1]?.points[9], { step: 949.5, values: 100, mean: 474.75, min: 450, max: 499.5 });
    const all = await metricSeries(store, { versions: ["w"], names: ["reward"], points: 2000 });
    assert.equal(all[0]?.points.length, 1000);
  });

  it("counts the steps of every metric, and skips versions and metrics that do not exist", async () => {
    assert.deepEqual(await metricNames(store, ["v", "gone"]), [
      { name: "kl", steps: 999 },
      { name: "reward", steps: 1000 },
    ]);
    assert.deepEqual(await metricSeries(store, { versions: ["gone"], names: ["reward"], points: 10 }), []);
    assert.deepEqual(await metricSeries(store, { versions: ["v"], names: [], points: 10 }), []);
  });
});
