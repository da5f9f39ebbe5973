import assert from "node:assert/strict";
import { mkdir, writeFile } from "node:fs/promises";
import { dirname } from "node:path";
import type { Store } from "../archive/store.ts";
import { makeWorkspace, toLine, type Workspace } from "../../../../test/support/evidence/evidence.ts";
import { SampleNumbers } from "./groups.ts";
import { importPaths } from "../../../../test/support/evidence/import.ts";

const sample = toLine({ input: "user\n2+2?\nassistant\n", output: "4", score: 1, step: 1 });

describe("the numbers of samples in groups", () => {
  let workspace: Workspace;
  let store: Store;
  beforeEach(async () => {
    workspace = await makeWorkspace();
    store = await workspace.open();
  });
  afterEach(() => workspace.remove());

  it("are never given twice when many runs take turns", async () => {
    const runs = Array.from({ length: 12 }, (_, i) => `run${i}`);
    const paths = ["1.jsonl", "2.jsonl", "3.jsonl"].flatMap((name) =>
      runs.map((run) => workspace.file(`${run}/${name}`)),
    );
    for (const path of paths) {
      await mkdir(dirname(path), { recursive: true });
      await writeFile(path, sample);
    }
    await importPaths(store, paths);
    const found = await store.query({
      sql: "SELECT count(*)::INT AS n, count(DISTINCT (run, sample))::INT AS numbers, max(sample)::INT AS most FROM rollouts",
      params: [],
    });
    assert.deepEqual(found, [{ n: 36, numbers: 36, most: 2 }]);
  });

  it("continue for the current run when other runs are forgotten", async () => {
    const numbers = new SampleNumbers(store);
    await numbers.enter("first");
    assert.equal(numbers.next("first", "g", 0), 0);
    for (let i = 0; i < 20; i++) await numbers.enter(`other${i}`);
    await numbers.enter("first");
    numbers.committed();
    assert.equal(numbers.next("first", "g", 0), 1);
    assert.throws(() => numbers.next("other0", "g", 0), /was not entered/);
  });
});
