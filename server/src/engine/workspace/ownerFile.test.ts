import assert from "node:assert/strict";
import { mkdir, mkdtemp, rename, rm, symlink } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { skipBecause } from "../../../../test/support/base/skip.ts";
import { isPrivate, readOwnerFile, writeOwnerFile } from "./ownerFile.ts";

describe("the file that says how an owner is reached", () => {
  before(function () {
    if (process.platform === "win32") skipBecause(this, "files have no mode on Windows");
  });

  it("is believed only if its user alone can have written and read it", () => {
    const uid = process.getuid?.() ?? 0;
    assert.equal(isPrivate({ uid, mode: 0o100600 }), true);
    for (const mode of [0o100640, 0o100620, 0o100604, 0o100602])
      assert.equal(isPrivate({ uid, mode }), false, mode.toString(8));
    assert.equal(isPrivate({ uid: uid + 1, mode: 0o100600 }), false);
  });

  it("is a plain file: neither a link nor a folder in its place is read", async () => {
    const folder = await mkdtemp(join(tmpdir(), "evo-owner-"));
    try {
      const archive = join(folder, "archive.duckdb");
      const file = join(folder, "owner.json");
      await writeOwnerFile(archive, { pid: process.pid, address: "/a", token: "0".repeat(64) });
      assert.equal((await readOwnerFile(archive))?.address, "/a");
      await rename(file, join(folder, "elsewhere.json"));
      await symlink("elsewhere.json", file);
      assert.equal(await readOwnerFile(archive), undefined);
      await rm(file);
      await mkdir(file, { mode: 0o700 });
      assert.equal(await readOwnerFile(archive), undefined);
    } finally {
      await rm(folder, { recursive: true, force: true });
    }
  });
});
