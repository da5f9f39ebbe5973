import assert from "node:assert/strict";
import { missingLines, reportText } from "./python/pythonReport.ts";

describe("the report of the tests that need Python", () => {
  const packages = [
    { name: "torch", version: "2.13.0", why: null },
    { name: "ray[default]", version: null, why: "ERROR: No matching\n distribution" },
    { name: "verl", version: null, why: "not asked for: it needs a GPU to run" },
  ];

  const run = { python: "Python 3.11.7", processors: 2, packages };

  it("says in a sentence what is missing, why, and what is not tested for want of it", () => {
    assert.deepEqual(missingLines(packages), [
      "ray[default] is missing (ERROR: No matching distribution), so no job runs on a real Ray, whose server of jobs is in its dashboard.",
    ]);
  });

  it("lists what failed and what was skipped", () => {
    const tested = [
      {
        ...{ file: "a.test.ts", seconds: 121.4, passed: ["x"], skipped: ["y (no Ray)"] },
        failed: [{ title: "z", message: "1 | 2" }],
      },
    ];
    const text = reportText({ ...run, tested, isWhole: true });
    assert.match(
      text,
      /with Python 3\.11\.7 on 2 processors\. One run tested all files without a break, in 2 minutes\.\n/,
    );
    assert.match(text, /\| a\.test\.ts \| 1 \| 1 \| 1 \| 121 \|/);
    assert.match(text, /## Failed\n\n- z: 1 \\\| 2\n/);
    assert.match(text, /## Skipped\n\n- y \(no Ray\)\n/);
  });

  it("keeps the whole name and reason of a test that was skipped", () => {
    const skipped = `${"a long name of a test ".repeat(10)}(NAME names no Python with ray[default])`;
    const tested = [{ file: "a.test.ts", seconds: 1, passed: [], skipped: [skipped], failed: [] }];
    assert.ok(reportText({ ...run, tested, isWhole: true }).includes(`- ${skipped}\n`));
  });

  it("says when some lines are of earlier runs", () => {
    assert.match(
      reportText({ ...run, tested: [], isWhole: false }),
      /processors\. Some lines are of earlier runs: /,
    );
  });
});
