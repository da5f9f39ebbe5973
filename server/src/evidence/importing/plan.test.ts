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

describe("the files under the paths of an import", () => {
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

  it("may be gone when their turn comes: the import names them and continues", async () => {
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

  it("may have been replaced by a loop of links when their turn comes: the import names them and continues", async () => {
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

  it("may be unreadable: the import names them and reads the others", async function () {
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

  it("may be whole documents that are gone before they are read: the import names them", async () => {
    const path = await put("in/trainer_state.json", JSON.stringify({ log_history: "x".repeat(100_000) }));
    const file = await foreignFile(path);
    await rm(path);
    await assert.rejects(file.document(), (e) => HarnessError.is(e, "notFound"));
  });

  it("may have a named pipe as their neighbour: the import does not wait for it", async function () {
    if (process.platform === "win32") skipBecause(this, "Windows has no named pipes among files");
    const file = await foreignFile(await put("in/results.jsonl", sample));
    execFileSync("mkfifo", [workspace.file("in/metadata.json")]);
    assert.equal(await file.beside("metadata.json"), undefined);
    assert.equal(await textBeside(file, "metadata.json"), undefined);
  });

  it("may be links that lead nowhere or to themselves: the import refuses them", async () => {
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
