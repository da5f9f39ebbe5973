import assert from "node:assert/strict";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import * as z from "zod";
import { makeRollout, toLine } from "../support/evidence/evidence.ts";
import { evotrainer } from "./cli.ts";

describe("items", function () {
  this.timeout(60_000);
  let cwd = "";
  before(() => {
    cwd = mkdtempSync(join(tmpdir(), "evo-items-"));
    const solved = { v1: [0, 0, 1], v2: [1, 0, 1], v3: [0, 0, 1] };
    for (const [version, items] of Object.entries(solved)) {
      const rollouts = items.map((passed, i) =>
        makeRollout({
          id: `r-${i}`,
          run: version,
          split: "selection",
          item: `item-${i}`,
          group: `item-${i}`,
          outcome: passed === 1 ? "pass" : "fail",
        }),
      );
      writeFileSync(join(cwd, `${version}.jsonl`), rollouts.map(toLine).join(""));
      assert.equal(evotrainer(cwd, "import", `${version}.jsonl`, "--version", version).code, 0);
    }
  });
  after(() => rmSync(cwd, { recursive: true, force: true }));

  it("lists what went back and forth first, with a column for each version", () => {
    const { code, stdout } = evotrainer(cwd, "items", "--limit", "2");
    assert.equal(code, 0);
    assert.deepEqual(stdout.split("\n").slice(1, 5), [
      "item     v1   v2   v3  changes",
      "item-0  0/1  1/1  0/1        2",
      "item-1  0/1  0/1  0/1        ·",
      "1 more item; --limit 3 shows all.",
    ]);
  });

  it("takes the versions that are named, as JSON, and says which one does not exist", () => {
    const { stdout } = evotrainer(cwd, "--json", "items", "v3", "v1");
    const { versions, total } = z
      .object({ versions: z.array(z.string()), total: z.number() })
      .parse(JSON.parse(stdout));
    assert.deepEqual([versions, total], [["v3", "v1"], 3]);
    const unknown = evotrainer(cwd, "items", "v9");
    assert.equal(unknown.code, 2);
    assert.match(unknown.stderr, /^There is no version v9; there are: v1, v2, v3\.\n$/);
  });
});
