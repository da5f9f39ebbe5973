import assert from "node:assert/strict";
import { checkMarked } from "../../../../test/support/language/markedText.ts";
import { sampleProject } from "../../../../test/support/language/sampleProject.ts";
import { frozenChanged } from "./frozen-changed.ts";

const check = (text: string, parent = sampleProject["harness/config.json"] ?? "") =>
  checkMarked({
    kind: "config",
    path: "harness/config.json",
    text,
    rules: [frozenChanged],
    files: sampleProject,
    parent: { "harness/config.json": parent },
  });

describe("rule frozen-changed", () => {
  it("restores the parent's values", () => {
    const { fixes, fixed } = check(`{ "temperature": 2, "workers": 8 }
                               ^ frozen-changed: workers is 8 instead of 2, but it is frozen: it must stay as in v4.
`);
    assert.deepEqual(fixes, ["Change back to 2"]);
    assert.match(fixed, /"workers": 2 }/);
  });

  it("reports a frozen value that was removed and one that was added", () => {
    check(`{ "temperature": 1 }
^^^^^^^^^^^^^^^^^^^^ frozen-changed: workers is missing
`);
    check(
      `{ "temperature": 1, "workers": { "data": 1 } }
                                         ^ frozen-changed: workers.data is new
`,
      '{ "temperature": 1 }',
    );
  });

  it("reports nothing when no frozen value differs, or when the parent is broken or unknown", () => {
    check('{ "temperature": 5, "workers": 2 }\n');
    check('{ "temperature": 1, "workers": 8 }\n', "{ broken");
    checkMarked({
      kind: "config",
      path: "harness/config.json",
      text: '{ "workers": 8 }\n',
      rules: [frozenChanged],
      files: sampleProject,
    });
  });
});
