import assert from "node:assert/strict";
import { writeFile } from "node:fs/promises";
import type { Store } from "../store/database.ts";
import { importPaths } from "../../../../test/support/evidence/import.ts";
import { metricSummaries } from "./metricSummary.ts";
import { makeWorkspace, toLine, type Workspace } from "../../../../test/support/evidence/evidence.ts";

describe("metricSummaries", () => {
  let place: Workspace;
  let store: Store;
  beforeEach(async () => {
    place = await makeWorkspace();
    store = await place.open();
  });
  afterEach(() => place.remove());

  const bring = async (
    name: string,
    version: string,
    ...steps: (readonly [number, object])[]
  ): Promise<void> => {
    await writeFile(place.file(name), steps.map(([step, data]) => toLine({ step, data })).join(""));
    await importPaths(store, [place.file(name)], { as: "verl-metrics", version });
  };

  it("gives first and last by step, not by line, and uses the later line of a step written twice", async () => {
    await bring("a.jsonl", "v", [3, { loss: 30 }], [1, { loss: 10 }], [2, { loss: -5 }], [3, { loss: 7 }]);
    assert.deepEqual(await metricSummaries(store, "v"), [
      { name: "loss", steps: 3, first: 10, last: 7, min: -5, max: 10 },
    ]);
  });

  it("counts only steps with a value, and only those of the version", async () => {
    await bring("a.jsonl", "v", [1, { kl: null, loss: 1 }], [2, { kl: 0.5, loss: 2 }], [3, { loss: 3 }]);
    await bring("b.jsonl", "w", [1, { kl: 9 }]);
    assert.deepEqual(await metricSummaries(store, "v"), [
      { name: "kl", steps: 1, first: 0.5, last: 0.5, min: 0.5, max: 0.5 },
      { name: "loss", steps: 3, first: 1, last: 3, min: 1, max: 3 },
    ]);
    assert.deepEqual(await metricSummaries(store, "none"), []);
  });

  it("counts the steps of each run of a version", async () => {
    await bring("a.jsonl", "v", [1, { loss: 1 }], [2, { loss: 2 }]);
    await bring("b.jsonl", "v", [1, { loss: 5 }]);
    assert.deepEqual(await metricSummaries(store, "v"), [
      { name: "loss", steps: 3, first: 1, last: 2, min: 1, max: 5 },
    ]);
  });
});
