import assert from "node:assert/strict";
import { writeFile } from "node:fs/promises";
import { HarnessError } from "../../base/errors.ts";
import type { Rollout } from "../../../../shared/model/rollout.ts";
import { derivedSignals } from "../../../../shared/spec/reward.ts";
import { componentNames, groupColumns, outcomeCodes } from "./groupColumns.ts";
import { ingestFile } from "../ingest/ingest.ts";
import type { Store } from "../archive/store.ts";
import {
  makeRollout,
  makeWorkspace,
  toLine,
  type Workspace,
} from "../../../../test/support/evidence/evidence.ts";

describe("group columns", function () {
  this.timeout(60_000);
  let workspace: Workspace;
  let store: Store;
  before(async () => {
    workspace = await makeWorkspace();
    store = await workspace.open();
  });
  after(() => workspace.remove());

  let files = 0;
  const bring = async (rollouts: readonly Partial<Rollout>[]): Promise<string> => {
    const name = `v${files++}`;
    const path = workspace.file(`${name}.jsonl`);
    await writeFile(
      path,
      rollouts.map((r, i) => toLine(makeRollout({ id: `r-${i}`, run: name, ...r }))).join(""),
    );
    assert.equal((await ingestFile(store, { path, kind: "rollouts", version: name })).bad, 0);
    return name;
  };
  const read = (version: string, signals: readonly string[]) =>
    groupColumns(store, { split: "train", version }, { signals });

  it("come group by group in the order of training, each group sorted by sample", async () => {
    const version = await bring([
      { run: "b", group: "z", step: 0, sample: 1, components: { tests: 1 }, outcome: "fail" },
      { run: "b", group: "a", step: 1, sample: 0, components: { tests: 2 } },
      { run: "b", group: "z", step: 0, sample: 0, components: { tests: 3 }, reward: null },
      { run: "b", group: "z", step: 1, sample: 0, components: {}, outcome: "unknown", unknown_reason: "x" },
      { run: "b", group: "b", step: 0, sample: 0, components: { tests: 5 } },
      { run: "a", group: "z", step: 7, sample: 0, components: { tests: 6 } },
      { run: "a", group: "z", step: 7, sample: 0, components: { tests: 7 }, split: "selection" },
    ]);
    const c = await read(version, ["tests"]);
    assert.deepEqual([c.rollouts, c.groups, c.runs], [6, 5, ["a", "b"]]);
    assert.deepEqual([...c.offsets], [0, 1, 3, 4, 5, 6]);
    assert.deepEqual([...c.runOf], [0, 1, 1, 1, 1]);
    assert.deepEqual([...c.stepOf], [7, 0, 0, 1, 1]);
    const { pass, fail, unknown } = outcomeCodes;
    assert.deepEqual([...c.outcomes], [pass, pass, fail, pass, pass, unknown]);
    assert.deepEqual([...(c.signals.get("tests")?.values ?? [])], [6, 3, 1, 5, 2, NaN]);
    assert.deepEqual(c.signals.get("tests")?.missing, 1);
    assert.deepEqual([...c.reward.values], [1, NaN, 1, 1, 1, 1]);
    assert.deepEqual(await componentNames(store, { split: "train", version }), ["tests"]);
  });

  it("include values derived from the rollout, and how often a tool was called", async () => {
    const turn = (tool: string, ok = true) => ({ role: "assistant", text: "", tool, ok });
    const version = await bring([
      { turns: [turn("edit"), turn("edit", false), turn("it's")], tokens: 9, duration_ms: 2 },
      { id: "r-1", sample: 1, turns: [], tokens: null, duration_ms: null },
    ]);
    const tools = ["rollout.tool_count.edit", "rollout.tool_count.it's"];
    const c = await read(version, [...derivedSignals, ...tools]);
    assert.deepEqual(
      [...derivedSignals, ...tools].map((name) => [...(c.signals.get(name)?.values ?? [])]),
      [
        [3, 0],
        [3, 0],
        [3, 0],
        [1, 0],
        [2, 0],
        [2, 0],
        [9, NaN],
        [2, NaN],
        [2, 0],
        [1, 0],
      ],
    );
    await assert.rejects(read(version, ["rollout.no; drop table turns"]), /no derived signal/);
  });

  it("are empty for an empty archive, and complete when a signal is missing", async () => {
    const nothing = await read("none", ["tests"]);
    assert.deepEqual([nothing.rollouts, nothing.groups, nothing.runs], [0, 0, []]);
    const version = await bring(Array.from({ length: 5000 }, (_, i) => ({ group: `g-${i % 7}`, sample: i })));
    const c = await read(version, ["absent' OR true"]);
    assert.deepEqual([c.rollouts, c.groups, c.signals.get("absent' OR true")?.missing], [5000, 7, 5000]);
  });

  it("can be cancelled", async () => {
    const version = await bring([{}]);
    const scope = { split: "train", version } as const;
    await assert.rejects(groupColumns(store, scope, { signals: [], signal: AbortSignal.abort() }), (e) =>
      HarnessError.is(e, "cancelled"),
    );
  });
});
