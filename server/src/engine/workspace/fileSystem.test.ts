import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { chmod, mkdir, mkdtemp, realpath, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { HarnessError } from "../../base/errors.ts";
import type { Log } from "../../base/log.ts";
import { skipBecause } from "../../../../test/support/base/skip.ts";
import { checkFileSystem, systemProbe } from "./fileSystem.ts";
import { placeOf } from "./place.ts";
import { withEngine } from "../owner/withEngine.ts";

const refused = (says: RegExp) => (e: unknown) => {
  assert.ok(HarnessError.is(e, "unsupportedFileSystem"), String(e));
  assert.match(e.message, says);
  assert.match(e.message, /work there\.$/, "it says what to do");
  return true;
};

describe("the file system of an archive", () => {
  let root = "";
  beforeEach(async () => {
    root = await realpath(await mkdtemp(join(tmpdir(), "evotrainer-files-")));
  });
  afterEach(() => rm(root, { recursive: true, force: true }));

  for (const [type, name] of [
    [0x6969, "NFS"],
    [0x517b, "SMB"],
    [0xff534d42, "CIFS"],
    [0xff534d42 | 0, "CIFS"], // as a system with 32 bits gives it
    [0xfe534d42, "SMB"],
  ] as const)
    it(`is refused when statfs says ${type}, ${name}`, async () => {
      const probe = { ...systemProbe, typeOf: () => Promise.resolve(type) };
      await assert.rejects(
        withEngine(placeOf(root), () => Promise.reject(new Error("it was opened")), { probe }),
        refused(new RegExp(`^${root} is on a network file system \\(${name}\\)`)),
      );
    });

  it("is used with a warning when it is FUSE", async () => {
    const warnings: string[] = [];
    const quiet = (): void => undefined;
    const log: Log = {
      debug: quiet,
      info: quiet,
      error: quiet,
      warn: (_, message) => void warnings.push(message),
    };
    const probe = { ...systemProbe, typeOf: () => Promise.resolve(0x65735546) };
    const place = placeOf(root);
    assert.deepEqual(
      await withEngine(place, (engine) => engine.request("quarantine.list", {}), { probe, log }),
      [],
    );
    assert.deepEqual(warnings, ["archive on FUSE, whose locks may not reach other machines"]);
  });

  it("is used without a warning when it is local", async () => {
    const refuse = (): void => assert.fail("nothing to say");
    await checkFileSystem(join(root, "not", "there", "yet"), {
      log: { debug: refuse, info: refuse, warn: refuse, error: refuse },
    });
  });

  it("is refused when it is mounted read-only", async function () {
    const state = join(root, ".evotrainer");
    await mkdir(state);
    try {
      execFileSync("mount", ["-t", "tmpfs", "-o", "ro,size=1m", "tmpfs", state], { stdio: "pipe" });
    } catch {
      skipBecause(this, "this system does not let the test mount a file system");
    }
    try {
      await assert.rejects(
        withEngine(placeOf(root), () => Promise.reject(new Error("it was opened"))),
        refused(new RegExp(`^${state} is on a read-only file system \\(EROFS\\)`)),
      );
    } finally {
      execFileSync("umount", ["-l", state]);
    }
  });

  it("is refused when its folder is not writable", async function () {
    if (process.platform === "win32" || process.getuid?.() === 0)
      skipBecause(this, "this user may write everywhere");
    const state = join(root, ".evotrainer");
    await mkdir(state);
    await chmod(state, 0o500);
    try {
      await assert.rejects(
        withEngine(placeOf(root), () => Promise.reject(new Error("it was opened"))),
        refused(/is not writable for this user \(EACCES\)/),
      );
    } finally {
      await chmod(state, 0o700);
    }
  });
});
