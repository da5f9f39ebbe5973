import assert from "node:assert/strict";
import { chmodSync, lstatSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { skipBecause } from "../support/base/skip.ts";
import { evotrainerAlone as evotrainer, lineageOf } from "./cli.ts";
import { makeEvolvedProject } from "./finishedProject.ts";

describe("the engine's folder", function () {
  this.timeout(240_000);
  let root = "";
  before(function () {
    if (process.platform === "win32") skipBecause(this, "Windows has no such modes");
    root = makeEvolvedProject();
  });
  after(() => rmSync(root, { recursive: true, force: true }));

  /** Files and folders below a folder that others may look into; checkouts are git's. */
  const open = (folder: string): string[] =>
    readdirSync(folder, { recursive: true, encoding: "utf8" }).filter((path) => {
      const found = lstatSync(join(folder, path));
      return !found.isSymbolicLink() && (found.mode & 0o077) !== 0;
    });

  it("is for its user alone, with all that is in it", () => {
    assert.equal(lstatSync(join(root, ".evotrainer")).mode & 0o777, 0o700);
    assert.deepEqual(open(join(root, ".evotrainer")), []);
  });

  it("becomes so when an earlier release made it", () => {
    const folder = join(root, ".evotrainer");
    chmodSync(folder, 0o755);
    chmodSync(join(folder, "archive.duckdb"), 0o644);
    assert.equal(evotrainer(root, "rollouts").code, 0);
    assert.equal(lstatSync(folder).mode & 0o777, 0o700);
    assert.equal(lstatSync(join(folder, "archive.duckdb")).mode & 0o777, 0o600);
  });

  it("gets a sound archive again when that was damaged: the verb says so, and answers as before", () => {
    const archive = join(root, ".evotrainer/archive.duckdb");
    const ask = () => evotrainer(root, "--json", "rollouts", "v1", "--limit", "1000");
    const before = ask();
    assert.equal(before.code, 0, before.stderr);
    const { versions } = lineageOf(root);
    writeFileSync(archive, Buffer.alloc(readFileSync(archive).length, "damage"));
    const after = ask();
    assert.equal(after.code, 0, after.stderr);
    assert.match(
      after.stderr,
      /^The archive \S+archive\.duckdb was damaged, so EvoTrainer rebuilt it from the files/,
    );
    const ids = (text: string): unknown[] =>
      [...text.matchAll(/"id": "([^"]+)"/g)].map(([, id]) => id).sort();
    assert.equal(ids(before.stdout).length, 3 * 240, "three seeds of the baseline");
    assert.deepEqual(ids(after.stdout), ids(before.stdout));
    assert.deepEqual(lineageOf(root).versions, versions);
    assert.equal(ask().stderr, "");
  });
});
