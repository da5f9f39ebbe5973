import assert from "node:assert/strict";
import { mkdirSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";
import { importPaths } from "../../../../test/support/evidence/import.ts";
import {
  makeRollout,
  makeWorkspace,
  toLine,
  type Workspace,
} from "../../../../test/support/evidence/evidence.ts";
import { HarnessError } from "../../base/errors.ts";
import { rebuildStore, type Store } from "../archive/store.ts";
import { ingestFile } from "../ingest/ingest.ts";
import { ingestSmall } from "../ingest/ingestSmall.ts";
import { importedAs } from "./elsewhere.ts";

const verl = `${JSON.stringify({ input: "user\n2+2?\nassistant\n", output: "4", score: 1, step: 1 })}\n`;

describe("what counts for a version of the project", function () {
  this.timeout(60_000);
  let workspace: Workspace;
  let store: Store;
  const own = new Set<string>();
  const isOwnVersion = (version: string): Promise<boolean> => Promise.resolve(own.has(version));
  beforeEach(async () => {
    own.clear();
    workspace = await makeWorkspace();
    store = await workspace.open(undefined, isOwnVersion);
  });
  afterEach(() => workspace.remove());

  const put = (name: string, text: string): string => {
    const path = workspace.file(name);
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, text);
    return path;
  };
  const rollouts = toLine(makeRollout({ id: "a", run: "other" }));
  const isRefused = (e: unknown): boolean =>
    HarnessError.is(e, "badInput") && /only what its own jobs wrote counts for it/.test(e.message);

  it("is what is in the folder of its run, and no file from elsewhere", async () => {
    own.add("v1");
    const inside = put("run-1/rollouts.jsonl", toLine(makeRollout({ id: "a", run: "run-1" })));
    await ingestFile(store, { path: inside, kind: "rollouts", version: "v1", run: "run-1" });
    const outside = put("in/own.jsonl", rollouts);
    await assert.rejects(ingestFile(store, { path: outside, kind: "rollouts", version: "v1" }), isRefused);
    await assert.rejects(
      ingestFile(store, { path: outside, kind: "rollouts", version: "v1", run: "other" }),
      isRefused,
    );
    assert.equal((await ingestSmall(store, [{ path: outside, version: "v1" }])).size, 0);
    assert.equal(await importedAs(store, "v1"), undefined);
  });

  it("is no file of a foreign format, now and when the archive is made anew", async () => {
    put("in/1.jsonl", verl);
    const first = await importPaths(store, [workspace.file("in")], { version: "v1", run: "verl" });
    assert.equal(first.counts.rollouts, 1);
    assert.deepEqual(await importedAs(store, "v1"), { path: "in/1.jsonl", runs: ["verl"] });
    own.add("v1");
    put("in/2.jsonl", verl);
    const second = await importPaths(store, [workspace.file("in")], { version: "v1" });
    assert.equal(second.counts.rollouts, 0);
    await store.close();
    const {
      store: anew,
      imported,
      missing,
    } = await rebuildStore({
      ...{ path: workspace.database, evidenceRoot: workspace.root, isOwnVersion },
    });
    await anew.close();
    assert.equal(imported, 0);
    assert.deepEqual(missing.length, 1);
  });
});
