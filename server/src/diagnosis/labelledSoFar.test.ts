import assert from "node:assert/strict";
import { appendFile } from "node:fs/promises";
import { DiagnosticSpec } from "../../../shared/spec/diagnostic.ts";
import {
  makeRollout,
  makeWorkspace,
  toLine,
  type Workspace,
} from "../../../test/support/evidence/evidence.ts";
import type { Store } from "../evidence/archive/store.ts";
import { ingestFile } from "../evidence/ingest/ingest.ts";
import { takeOut } from "../evidence/ingest/takeOut.ts";
import { usableLabel } from "./label/compileLabel.ts";
import { labelRollouts } from "./labelDiagnostics.ts";
import { LabelledSoFar } from "./labelledSoFar.ts";

const named = (name: string, when: string): DiagnosticSpec =>
  DiagnosticSpec.parse({ apiVersion: "evotrainer/v1", kind: "Diagnostic", name, label: { when } });
const specs = [named("high", "reward > 0.5"), named("said", 'turns.exists(t, t.text.contains("stop"))')];
const scope = { split: "train", version: "v" } as const;

describe("labels of a version that grows", () => {
  let workspace: Workspace;
  let store: Store;
  let path = "";
  beforeEach(async () => {
    workspace = await makeWorkspace();
    store = await workspace.open();
    path = workspace.file("rollouts.jsonl");
  });
  afterEach(() => workspace.remove());
  async function add(...rewards: readonly (number | null)[]): Promise<void> {
    const text = rewards.map((reward, i) =>
      toLine(
        makeRollout({
          id: `${Math.random()}`,
          sample: i,
          reward,
          turns: [{ role: "user", text: reward === 1 ? "stop" : "go" }],
        }),
      ),
    );
    await appendFile(path, text.join(""));
    await ingestFile(store, { path, kind: "rollouts", version: "v", run: "run-1" });
  }
  const counted = async (soFar?: LabelledSoFar, of = specs): Promise<unknown> =>
    (await labelRollouts(store, of, { rollouts: scope, ...(soFar === undefined ? {} : { soFar }) })).map(
      ({ name, rollouts, labelled, undecided }) => [name, rollouts, labelled, undecided],
    );
  const stored = async (): Promise<unknown> =>
    store.query({ sql: "SELECT rid, label, turns FROM labels ORDER BY ALL", params: [] });

  it("are the same as if all of it were labelled again, and only new rollouts are labelled", async () => {
    const soFar = new LabelledSoFar();
    for (const rewards of [[1, 0], [], [1, null, 0.7]]) {
      await add(...rewards);
      const found = await counted(soFar);
      const labels = await stored();
      assert.deepEqual(found, await counted());
      assert.deepEqual(labels, await stored());
    }
    // The next look begins after these five.
    const labels = specs.map((spec) => ({ label: spec.name, revision: usableLabel(spec).revision }));
    assert.equal((await soFar.known(store, scope, labels))?.fromRid, 5);
  });

  it("are all made again if anything below differs from what was remembered", async () => {
    const soFar = new LabelledSoFar();
    await add(1, 0);
    await counted(soFar);
    // Another process labels otherwise, or takes labels off.
    await store.write((connection) => connection.run("DELETE FROM labelled").then(() => undefined));
    assert.deepEqual(await counted(soFar), [
      ["high", 2, 1, 0],
      ["said", 2, 1, 0],
    ]);
    assert.equal(((await stored()) as unknown[]).length, 2);
    // Another diagnostic of the same name.
    const [, said] = specs;
    assert.ok(said);
    const lower = [named("high", "reward > -1.0"), said];
    assert.deepEqual(await counted(soFar, lower), [
      ["high", 2, 2, 0],
      ["said", 2, 1, 0],
    ]);
    // Rollouts that went away, whose numbers are given to others.
    await takeOut(store, path);
    const other = workspace.file("others.jsonl");
    await appendFile(
      other,
      toLine(makeRollout({ id: "a", reward: 0 })) + toLine(makeRollout({ id: "b", sample: 1, reward: 1 })),
    );
    await ingestFile(store, { path: other, kind: "rollouts", version: "v", run: "run-1" });
    assert.deepEqual(await counted(soFar, specs), [
      ["high", 2, 1, 0],
      ["said", 2, 0, 0],
    ]);
  });
});
