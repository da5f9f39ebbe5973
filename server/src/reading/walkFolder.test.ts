import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { chmod, mkdir, mkdtemp, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join, relative } from "node:path";
import { HarnessError, type Reason } from "../base/errors.ts";
import { withoutPrivileges } from "../../../test/support/base/privileges.ts";
import { skipBecause } from "../../../test/support/base/skip.ts";
import { maxFiles, walkPaths } from "./walkFolder.ts";

describe("walking through folders", () => {
  let root = "";
  beforeEach(async () => {
    root = await mkdtemp(join(tmpdir(), "evotrainer walk "));
  });
  afterEach(() => rm(root, { recursive: true, force: true }));

  const put = async (...names: string[]): Promise<void> => {
    for (const name of names) {
      await mkdir(dirname(join(root, name)), { recursive: true });
      await writeFile(join(root, name), "");
    }
  };
  const refused: [string, string][] = [];
  beforeEach(() => refused.splice(0));
  const walk = (...paths: string[]): ReturnType<typeof walkPaths> =>
    walkPaths(paths.length === 0 ? [root] : paths, {
      compare: (a, b) => Number(a > b) - Number(a < b),
      refuse: (path, reason) => refused.push([relative(root, path), reason]),
    });
  const names = async (...paths: string[]): Promise<string[]> => {
    const found: string[] = [];
    for await (const { path } of walk(...paths)) found.push(relative(root, path).replaceAll("\\", "/"));
    return found;
  };
  const fails = (path: string, reason: Reason, words: RegExp): Promise<void> =>
    assert.rejects(names(join(root, path)), (e) => HarnessError.is(e, reason) && words.test(e.message));

  it("lists the files in the requested order, without the folders of tools", async () => {
    await put("b/2", "b/1/x", "a", "c", "node_modules/x", ".git/x", "b/.venv/x", "b/.evotrainer/x");
    assert.deepEqual(await names(), ["a", "b/1/x", "b/2", "c"]);
    assert.deepEqual(await names(join(root, "c"), join(root, "b")), ["c", "b/1/x", "b/2"]);
  });

  it("names the path that was asked for", async () => {
    await put("b/1");
    for await (const { path, asked } of walk()) assert.deepEqual([path, asked], [join(root, "b/1"), root]);
    for await (const { path, asked } of walk(join(root, "b/1"))) assert.equal(path, asked);
  });

  it("ignores links inside a folder, wherever they lead", async () => {
    await put("b/1");
    await symlink("nowhere", join(root, "dangling"));
    await symlink("loop", join(root, "loop"));
    await symlink(root, join(root, "b", "up"));
    assert.deepEqual(await names(), ["b/1"]);
    assert.deepEqual(refused, []);
  });

  it("refuses a path that cannot be walked, with a sentence for each reason", async function () {
    await put("file");
    await symlink("nowhere", join(root, "dangling"));
    await symlink("loop", join(root, "loop"));
    await fails("gone", "notFound", /^There is no file or folder .*gone\.$/);
    await fails("dangling", "notFound", /^There is no file or folder/);
    await fails("loop", "badInput", /ELOOP/);
    if (process.platform === "win32") skipBecause(this, "Windows has no named pipes among files");
    await fails("file/below", "notFound", /^There is no file or folder/);
    execFileSync("mkfifo", [join(root, "pipe")]);
    await fails("pipe", "badInput", /neither a file nor a folder/);
  });

  it("names a folder that is gone when its turn comes, and continues", async () => {
    await put("a/1", "b/1", "c/1");
    const found: string[] = [];
    for await (const { path } of walk()) {
      found.push(relative(root, path));
      await rm(join(root, "b"), { recursive: true, force: true });
    }
    assert.deepEqual(found, [join("a", "1"), join("c", "1")]);
    assert.deepEqual(refused, [["b", "the folder was removed while the import ran"]]);
  });

  it("names an unreadable folder and continues, or fails if the caller takes no notes", async function () {
    await put("a", "locked/1", "z");
    await withoutPrivileges(this, root, async () => {
      await chmod(join(root, "locked"), 0);
      assert.deepEqual(await names(), ["a", "z"]);
      assert.deepEqual(refused, [["locked", "the folder cannot be read (EACCES); check its permissions"]]);
      const untold = walkPaths([root], { compare: () => 0 });
      const walked = async (): Promise<void> => {
        for await (const { path } of untold) assert.ok(path);
      };
      await assert.rejects(walked(), (e) => HarnessError.is(e, "badInput"));
      await chmod(join(root, "locked"), 0o700);
    });
  });

  it("has one limit for all paths together", async function () {
    this.timeout(60_000);
    const folder = join(root, "many");
    await put(...Array.from({ length: 2000 }, (_, i) => `many/${i}`));
    let count = 0;
    const walked = async (): Promise<void> => {
      const paths = Array.from({ length: maxFiles / 2000 + 1 }, () => folder);
      for await (const { asked } of walk(...paths)) count += Number(asked === folder);
    };
    await assert.rejects(
      walked(),
      (e) => HarnessError.is(e, "badInput") && e.message.includes("more than 500000 files under"),
    );
    assert.equal(count, maxFiles);
  });
});
