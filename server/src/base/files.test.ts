import assert from "node:assert/strict";
import { chmodSync, mkdirSync, mkdtempSync, readdirSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { skipBecause } from "../../../test/support/base/skip.ts";
import { privateFolder, writeFileAtomic } from "./files.ts";

describe("files of the engine", () => {
  let folder = "";
  const modeOf = (path: string): string => (statSync(path).mode & 0o777).toString(8);
  beforeEach(function () {
    if (process.platform === "win32") skipBecause(this, "files have no mode on Windows");
    folder = mkdtempSync(join(tmpdir(), "evo-files-"));
  });
  afterEach(() => rmSync(folder, { recursive: true, force: true }));

  it("have their mode from the first byte on", async () => {
    const modes: string[] = [];
    function* content(): Generator<string> {
      // It is being written just now, under another name.
      for (const name of readdirSync(folder)) modes.push(modeOf(join(folder, name)));
      yield "secret";
    }
    await writeFileAtomic(join(folder, "a"), content(), { mode: 0o600 });
    assert.deepEqual([modes, modeOf(join(folder, "a"))], [["600"], "600"]);
  });

  it("are in folders that only their user can look into, even if an earlier release made the folder", async () => {
    const before = process.umask(0);
    try {
      await privateFolder(join(folder, "new", "inner"));
      mkdirSync(join(folder, "old"));
      chmodSync(join(folder, "old"), 0o755);
      await privateFolder(join(folder, "old"));
    } finally {
      process.umask(before);
    }
    assert.deepEqual(
      ["new/inner", "old"].map((name) => modeOf(join(folder, name))),
      ["700", "700"],
    );
  });
});
