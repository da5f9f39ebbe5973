import assert from "node:assert/strict";
import { tokenize } from "./language.ts";
import { applyRewrite, familyOf, rewritesOf } from "./rewrites.ts";

describe("the rewrites of a line", () => {
  it("include the tokens that are easily confused and the next name in scope", () => {
    const found = rewritesOf(tokenize("if a < b : return 0"), ["a", "b"]).map((r) => `${r.from}→${r.to}`);
    assert.deepEqual(found, ["a→b", "<→<=", "<→>", "b→a", "0→1"]);
  });

  it("never rename what a let binds", () => {
    assert.ok(rewritesOf(tokenize("let q = a + b"), ["a", "b"]).every((r) => r.at !== 1));
  });

  it("can be taken back by another rewrite of the same family", () => {
    const lines = [
      "if a <= b : return 10",
      "let q = a * 2",
      "return a max 0",
      "let q = upper a",
      "let q = a take b",
      "return abs a",
    ];
    for (const line of lines) {
      const tokens = tokenize(line);
      for (const rewrite of rewritesOf(tokens, ["a", "b", "c", "d"])) {
        const changed = applyRewrite(tokens, rewrite);
        const back = rewritesOf(changed, ["a", "b", "c", "d"]).filter(
          (r) => applyRewrite(changed, r).join(" ") === line,
        );
        assert.equal(back.length, 1, `${line}: ${rewrite.from} → ${rewrite.to}`);
        assert.equal(back[0] && familyOf(back[0]), familyOf(rewrite));
      }
    }
  });
});
