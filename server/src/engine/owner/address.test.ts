import assert from "node:assert/strict";
import { chmod, mkdir, mkdtemp, realpath, rm, symlink } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { skipBecause } from "../../../../test/support/base/skip.ts";
import { newAddress } from "./address.ts";

describe("the address of an owner", () => {
  const runtime = process.env["XDG_RUNTIME_DIR"];
  let folder = "";
  beforeEach(async function () {
    if (process.platform === "win32") skipBecause(this, "folders have no mode on Windows");
    folder = await realpath(await mkdtemp(join(tmpdir(), "evo-run-")));
    process.env["XDG_RUNTIME_DIR"] = folder;
  });
  afterEach(async () => {
    if (runtime === undefined) delete process.env["XDG_RUNTIME_DIR"];
    else process.env["XDG_RUNTIME_DIR"] = runtime;
    await rm(folder, { recursive: true, force: true });
  });
  const listensIn = async (): Promise<string> => dirname(await newAddress("/p/.evotrainer/archive.duckdb"));

  it("is in a folder that only its user can enter", async () => {
    assert.equal(await listensIn(), join(folder, "evotrainer"));
    for (const mode of [0o770, 0o711]) {
      await chmod(join(folder, "evotrainer"), mode);
      assert.notEqual(await listensIn(), join(folder, "evotrainer"), mode.toString(8));
    }
  });

  it("is not in a folder that a link of the usual name leads to", async () => {
    await mkdir(join(folder, "other"), { mode: 0o700 });
    await symlink("other", join(folder, "evotrainer"));
    assert.notEqual(await listensIn(), join(folder, "evotrainer"));
  });
});
