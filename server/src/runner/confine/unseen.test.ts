import assert from "node:assert/strict";
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { homedir, tmpdir } from "node:os";
import { join } from "node:path";
import { unseenPath } from "./unseen.ts";

describe("what a confined job did not see", () => {
  let here = "";
  let program = "";
  before(() => {
    here = mkdtempSync(join(tmpdir(), "evo-unseen-"));
    mkdirSync(join(here, "bin"));
    program = join(here, "bin/python3");
    writeFileSync(program, "");
  });
  after(() => rmSync(here, { recursive: true, force: true }));

  it("is a program in a temporary folder, by its path or found in PATH", () => {
    assert.equal(unseenPath([], { program, path: "" }), program);
    assert.equal(unseenPath([], { program: "python3", path: `/nowhere:${join(here, "bin")}` }), program);
  });
  it("is a path in its last words that exists there", () => {
    const said = `run.sh: line 3: ${program}: No such file or directory`;
    assert.equal(unseenPath(["", said], { program: "sh", path: "/usr/bin:/bin" }), program);
    assert.equal(unseenPath([said.replace("python3", "python4")], { program: "sh", path: "" }), undefined);
  });
  it("is a link that leads there", () => {
    const elsewhere = mkdtempSync(join(homedir(), ".evo-unseen-"));
    try {
      const link = join(elsewhere, "python3");
      symlinkSync(program, link);
      assert.equal(unseenPath([], { program: link, path: "" }), link);
    } finally {
      rmSync(elsewhere, { recursive: true });
    }
  });
  it("is nothing where the program lies elsewhere", () => {
    assert.equal(unseenPath(["/usr/bin/env: failed"], { program: process.execPath, path: "" }), undefined);
    assert.equal(unseenPath([], { program: "bin/python3", path: "" }), undefined);
  });
});
