import assert from "node:assert/strict";
import { appendFile, mkdir, writeFile } from "node:fs/promises";
import { dirname } from "node:path";
import { forgetRegistrations } from "../store/registrations.ts";
import { rebuildStore, type Store } from "../archive/store.ts";
import { makeWorkspace, toLine, type Workspace } from "../../../../test/support/evidence/evidence.ts";
import { allRollouts, importPaths } from "../../../../test/support/evidence/import.ts";

const sample = toLine({ input: "user\n2+2?\nassistant\n", output: "4", score: 1, step: 1 });

describe("the ids of records that have none", () => {
  let workspace: Workspace;
  let store: Store;
  beforeEach(async () => {
    workspace = await makeWorkspace();
    store = await workspace.open();
  });
  afterEach(() => workspace.remove());

  async function put(path: string): Promise<string> {
    const full = workspace.file(path);
    await mkdir(dirname(full), { recursive: true });
    await writeFile(full, sample);
    return full;
  }
  const ids = async (of = store): Promise<string[]> => (await allRollouts(of)).map(({ id }) => id);
  /** First bytes of the SHA-256 of the path inside the workspace. */
  const second = "1.8fb31da8";

  it("differ between files of the same name that are read into one run", async () => {
    const paths = [await put("a/1.jsonl"), await put("b/1.jsonl")];
    const { counts } = await importPaths(store, paths, { run: "mine" });
    assert.deepEqual([counts.rollouts, counts.quarantined], [2, 0]);
    assert.deepEqual(await ids(), ["1-1", `${second}-1`]);
  });

  it("differ between files in one folder whose names differ only in the ending", async () => {
    await put("dump/1.jsonl");
    await put("dump/1.part.jsonl");
    const { counts } = await importPaths(store, [workspace.file("dump")], { run: "mine" });
    assert.deepEqual([counts.rollouts, counts.quarantined], [2, 0]);
  });

  it("are the same for the same place, in whatever order the files come", async () => {
    const [a, b] = [await put("a/1.jsonl"), await put("b/1.jsonl")];
    await importPaths(store, [a], { run: "mine" });
    await importPaths(store, [b], { run: "mine" });
    await appendFile(b, sample);
    await importPaths(store, [b, a], { run: "mine" });
    assert.deepEqual(await ids(), ["1-1", `${second}-1`, `${second}-2`]);
    await importPaths(store, [b], { run: "mine", version: "another" });
    assert.deepEqual(await ids(), ["1-1", `${second}-1`, `${second}-2`]);
  });

  it("are the same after a rebuild, even without the file that came first", async () => {
    const paths = [await put("a/1.jsonl"), await put("b/1.jsonl")];
    await importPaths(store, paths, { run: "mine" });
    await store.close();
    const place = { path: workspace.database, evidenceRoot: workspace.root };
    const rebuilt = await rebuildStore(place);
    assert.deepEqual(await ids(rebuilt.store), ["1-1", `${second}-1`]);
    await rebuilt.store.close();
    await forgetRegistrations(workspace.database, [{ forget: "a/1.jsonl" }]);
    const without = await rebuildStore(place);
    assert.deepEqual(await ids(without.store), [`${second}-1`]);
    await without.store.close();
  });
});
