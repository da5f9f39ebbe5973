import assert from "node:assert/strict";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { guards } from "../scripts/mutants/guards.ts";

const root = join(import.meta.dirname, "..");

describe("the guards that npm run mutants takes out", () => {
  it("stand once in the files that the list names, and have tests that exist", () => {
    const wrong = guards.flatMap(({ guard, file, find, replace, tests }) => {
      const count = readFileSync(join(root, file), "utf8").split(find).length - 1;
      return [
        ...(count === 1 ? [] : [`${file}: "${find}" stands there ${count} times (${guard})`]),
        ...(find === replace ? [`${file}: nothing is taken out (${guard})`] : []),
        ...(tests.length > 0 ? [] : [`${file}: no test is named (${guard})`]),
        ...tests
          .filter((test) => !existsSync(join(root, test)))
          .map((test) => `${test} does not exist (${guard})`),
      ];
    });
    assert.deepEqual(wrong, []);
    assert.ok(guards.length > 0);
  });

  it("are each listed once", () => {
    const seen = new Set<string>();
    const twice = guards.filter(
      ({ file, find, replace }) => seen.size === seen.add([file, find, replace].join("\0")).size,
    );
    assert.deepEqual(twice, []);
  });
});
