import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { keeperPath } from "../../../../test/support/runner/jobs.ts";

describe("the status of jobs when one of them wrote marks of its end itself", () => {
  const runs = mkdtempSync(join(tmpdir(), "evo marks "));
  after(() => rmSync(runs, { recursive: true, force: true }));
  const write = (id: string, name: string, text = ""): void => writeFileSync(join(runs, id, name), text);
  const statusOf = (...ids: string[]): string =>
    execFileSync("/bin/sh", [keeperPath, "status", runs, ...ids], { encoding: "utf8" });

  before(() => {
    for (const id of ["forged", "ended", "third"]) {
      mkdirSync(join(runs, id));
      // Not what a keeper can start, so that none is.
      write(id, "job", "no job\n");
    }
    for (const mark of ["exit", "code.0", "stop.timeout"]) {
      write("forged", mark, "code.0 1 1\n");
      write("forged", `${mark.replace(/\..*/, "")}.pending`, " ");
      write("ended", mark, "code.0 1 1\n");
    }
    write("ended", "rollouts.jsonl", "{}\n");
    symlinkSync(join(runs, "ended/rollouts.jsonl"), join(runs, "forged/rollouts.jsonl"));
  });

  // Few jobs and many are told of by other code.
  for (const ids of [["forged"], ["ended"], ["forged", "ended", "third"]])
    it(`shows marks of the keeper only, asked of ${ids.join(", ")}`, () => {
      const told = new Map(
        statusOf(...ids)
          .split(/^job /m)
          .slice(1)
          .map((text) => [text.slice(0, text.indexOf("\n")), text]),
      );
      assert.deepEqual([...told.keys()], ids);
      const marks = /^has (?:exit|code\.0|stop\.timeout)\b/gm;
      for (const id of ids) {
        const text = told.get(id) ?? "";
        assert.equal([...text.matchAll(marks)].length, id === "ended" ? 3 : 0, text);
        assert.equal(/rollouts\.jsonl/.test(text), id === "ended", text);
      }
    });
});
