import assert from "node:assert/strict";
import { checkMarked } from "../../../../test/support/language/markedText.ts";
import { library } from "./library.ts";

const check = (text: string) => checkMarked({ kind: "project", rules: [library], text });

describe("rule library", () => {
  it("accepts existing diagnostics and parameters", () => {
    check("library: { use: all }\n");
    check(`
library:
  use: [low-score, dead-group]
  params: { dead-group: { above: 0.4 }, low-score: { below: 0.5 } }
  domains: { coding: { dead-group: { critical: 0.9 } } }
`);
  });

  it("marks unknown diagnostics and parameters, and offers the ones that were meant", () => {
    const { fixes, fixed } = check(`
library:
  use: [low-scor, dead-group]
        ^^^^^^^^ library: no diagnostic low-scor. Did you mean low-score?
  params:
    low-score: { belw: 0.5 }
                 ^^^^ library: low-score has no parameter belw. Did you mean below?
  domains:
    coding:
      dead-grup: { above: 0.5 }
      ^^^^^^^^^ library: Did you mean dead-group?
`);
    assert.deepEqual(
      ["low-score", "below", "dead-group"].map((word) => fixes.includes(`Change to "${word}"`)),
      [true, true, true],
    );
    assert.match(fixed, /use: \[low-score, /);
    assert.match(fixed, /\{ below: 0\.5 \}/);
  });

  it("says nothing about a project without a library section, or with an invalid one", () => {
    check("name: a\n");
    check("library: { use: some }\n");
  });
});
