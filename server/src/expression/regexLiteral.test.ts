import assert from "node:assert/strict";
import { RE2JS } from "re2js";
import { describe, it } from "mocha";
import { shippedDiagnostics } from "../project/library.ts";
import { beginningOf } from "./regexLiteral.ts";

describe("the beginning of an expression", () => {
  for (const [pattern, expected] of [
    [
      "(?i)(hard-?coded? (the |an )*(test|answer)[^.]{0,60}|fool the)",
      "(?i)(?:hard-?coded? (the |an )*(test|answer)|fool the)",
    ],
    ["abcd+?e*", "(?:abcd+?e*)"],
    ["(?s)traceback.*end", "(?s)(?:traceback.*end)"],
    ["abcdef(ab){3}gh", "(?:abcdef)"],
    ["abcdef[\\p{Han}]+", "(?:abcdef)"],
    // Nothing is certain of one alternative, or of a part that may be missing.
    ["abcdef|x{5}", undefined],
    ["abcdef|[xyz]+", undefined],
    ["a?b*c+", undefined],
    ["(?i:abc)def", undefined],
    ["\\Qabc", undefined],
  ] as const)
    it(`of ${pattern} is ${String(expected)}`, () => assert.equal(beginningOf(pattern, 40), expected));

  it("is cut behind a whole piece", () => {
    assert.equal(beginningOf("abcdefghij(klm|nop)+qrs", 12), "(?:abcdefghij(klm|nop)+)");
  });

  it("is found wherever the expression is, in every text of the library's examples", () => {
    const diagnostics = shippedDiagnostics().map(({ spec }) => spec);
    const patterns = new Set(
      diagnostics.flatMap(({ label }) =>
        [...(label.when ?? "").matchAll(/\.matches\(r"([^"]*)"\)/g)].map(([, source = ""]) => source),
      ),
    );
    const texts = new Set<string>();
    const collect = (value: unknown): void => {
      if (typeof value === "string") texts.add(value);
      else if (typeof value === "object" && value !== null) Object.values(value).forEach(collect);
    };
    for (const { examples } of diagnostics) collect(examples);
    let found = 0;
    for (const pattern of patterns) {
      const beginning = beginningOf(pattern, 60);
      if (beginning === undefined) continue;
      const [whole, begun] = [RE2JS.compile(pattern), RE2JS.compile(beginning)];
      for (const text of texts) {
        if (!whole.matcher(text).find()) continue;
        found++;
        assert.ok(begun.matcher(text).find(), `${beginning} in ${text}`);
      }
    }
    assert.ok(patterns.size > 30 && found > 50, `${patterns.size} expressions, found ${found} times`);
  });
});
