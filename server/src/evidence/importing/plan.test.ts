import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { chmod, mkdir, rm, symlink, writeFile } from "node:fs/promises";
import { dirname } from "node:path";
import { skipBecause } from "../../../../test/support/base/skip.ts";
import { textBeside } from "../adapters/parts/beside.ts";
import { foreignFile } from "./foreignFile.ts";
import { withoutPrivileges } from "../../../../test/support/base/privileges.ts";
import { HarnessError } from "../../base/errors.ts";
import type { Store } from "../archive/store.ts";
import { makeWorkspace, type Workspace } from "../../../../test/support/evidence/evidence.ts";
import { noNotes, planImport } from "./plan.ts";
import { importPaths } from "../../../../test/support/evidence/import.ts";

const sample = `${JSON.stringify({ input: "user\n2+2?\nassistant\n", output: "4", score: 1, step: 1 })}\n`;

describe("what is under the paths of an import", () => {
  let workspace: Workspace;
  let store: Store;
  beforeEach(async () => {
    workspace = await makeWorkspace();
    store = await workspace.open();
  });
  afterEach(() => workspace.remove());

  async function put(path: string, text: string): Promise<string> {
    const full = workspace.file(path);
    await mkdir(dirname(full), { recursive: true });
    await writeFile(full, text);
    return full;
  }

  it("names a file that is gone when it is its turn, and goes on", async () => {
    for (const name of ["1", "2", "3"]) await put(`in/${name}.jsonl`, sample);
    const notes = noNotes();
    const planned: string[] = [];
    for await (const { file } of planImport(store, { paths: [workspace.file("in")] }, notes)) {
      planned.push(file.name);
      await rm(workspace.file("in/2.jsonl"), { force: true });
    }
    assert.deepEqual(planned, ["1.jsonl", "3.jsonl"]);
    const path = workspace.file("in/2.jsonl");
    assert.deepEqual(notes.refused, [{ path, reason: `There is no file ${path}.` }]);
  });

  it("names a file whose place is taken by a loop of links when it is its turn", async () => {
    for (const name of ["1", "2", "3"]) await put(`in/${name}.jsonl`, sample);
    const notes = noNotes();
    const path = workspace.file("in/2.jsonl");
    let planned = 0;
    for await (const { file } of planImport(store, { paths: [workspace.file("in")] }, notes)) {
      planned++;
      if (file.name !== "1.jsonl") continue;
      await rm(path);
      await symlink("2.jsonl", path);
    }
    assert.equal(planned, 2);
    assert.deepEqual(
      notes.refused.map((r) => [r.path, /ELOOP/.test(r.reason)]),
      [[path, true]],
    );
  });

  it("names files and folders that may not be read, and reads the others", async function () {
    const [file, folder] = [await put("in/2.jsonl", sample), workspace.file("in/locked")];
    await put("in/1.jsonl", sample);
    await put("in/locked/1.jsonl", sample);
    await withoutPrivileges(this, workspace.root, async () => {
      await chmod(file, 0);
      await chmod(folder, 0);
      const { counts, skipped } = await importPaths(store, [workspace.file("in")]);
      assert.equal(counts.rollouts, 1);
      assert.deepEqual(
        skipped.refused.map((r) => [r.path, /EACCES/.test(r.reason)]),
        [
          [file, true],
          [folder, true],
        ],
      );
      await chmod(folder, 0o700);
    });
  });

  it("names a whole document that is gone when it is read", async () => {
    const path = await put("in/trainer_state.json", JSON.stringify({ log_history: "x".repeat(100_000) }));
    const file = await foreignFile(path);
    await rm(path);
    await assert.rejects(file.document(), (e) => HarnessError.is(e, "notFound"));
  });

  it("waits for no named pipe that lies where a neighbour would be", async function () {
    if (process.platform === "win32") skipBecause(this, "Windows has no named pipes among files");
    const file = await foreignFile(await put("in/results.jsonl", sample));
    execFileSync("mkfifo", [workspace.file("in/metadata.json")]);
    assert.equal(await file.beside("metadata.json"), undefined);
    assert.equal(await textBeside(file, "metadata.json"), undefined);
  });

  it("says of a link that leads nowhere or to itself that it cannot be read", async () => {
    for (const [target, reason] of [
      ["nowhere", "notFound"],
      ["link.jsonl", "badInput"],
    ] as const) {
      const path = workspace.file("link.jsonl");
      await symlink(target, path);
      await assert.rejects(importPaths(store, [path]), (e) => HarnessError.is(e, reason));
      await rm(path);
    }
  });
});
