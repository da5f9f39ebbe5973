import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { build } from "esbuild";

const root = join(import.meta.dirname, "..");

describe("the suite for the extension host", () => {
  it("runs its tests in this Node too: the oldest editor has an older one than the newest", async () => {
    mkdirSync(join(root, "out"), { recursive: true });
    // Below the clone, where mocha is found.
    const folder = mkdtempSync(join(root, "out/host-suite-"));
    try {
      const outfile = join(folder, "index.cjs");
      await build({
        ...{ absWorkingDir: root, entryPoints: ["test/editor/suite/index.ts"], outfile, bundle: true },
        ...{ platform: "node", format: "cjs", external: ["vscode", "mocha"] },
      });
      writeFileSync(join(folder, "one.test.cjs"), 'it("is run", () => undefined);\n');
      const report = join(folder, "report.json");
      const ran = spawnSync(process.execPath, ["-e", `require(${JSON.stringify(outfile)}).run()`], {
        env: { ...process.env, EVOTRAINER_REPORT: report },
        encoding: "utf8",
      });
      assert.equal(ran.status, 0, ran.stderr);
      assert.deepEqual(JSON.parse(readFileSync(report, "utf8")), [{ title: "is run", state: "passed" }]);
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  });
});
