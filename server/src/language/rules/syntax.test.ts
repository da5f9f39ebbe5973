import assert from "node:assert/strict";
import { checkMarked } from "../../../../test/support/language/markedText.ts";
import { parseSpec } from "../syntax/parseSpec.ts";
import { syntax } from "./syntax.ts";

describe("rule syntax", () => {
  it("accepts YAML", () => void checkMarked({ kind: "reward", text: "a: 1\n", rules: [syntax] }));

  it("marks the place where a text stops being YAML", () => {
    checkMarked({
      kind: "reward",
      text: "a: 1\na: 2\n^ syntax: Map keys must be unique.\n",
      rules: [syntax],
    });
  });

  const hostile: readonly (readonly [string, string])[] = [
    ["nothing", ""],
    ["one open bracket", "a: ["],
    ["ten thousand open brackets", "[".repeat(10_000)],
    ["a tab as indentation", "a:\n\tb: 1\n"],
    [
      "an alias bomb",
      `a: &a [x,x,x,x,x,x,x,x,x]\n${"bcdefgh"
        .split("")
        .map(
          (k, i) =>
            `${k}: &${k} [${Array(9)
              .fill(`*${"abcdefg".charAt(i)}`)
              .join(",")}]`,
        )
        .join("\n")}\n`,
    ],
    ["an alias without an anchor", "a: *nowhere\n"],
    ["a key that reaches for the prototype", "__proto__: { polluted: true }\n"],
    ["bytes that are not text", "\u0000\u0001\uFFFD"],
    ["several documents", "a: 1\n---\nb: 2\n"],
    ["a text longer than a spec may be", "a: b\n".repeat(300_000)],
  ];
  for (const [name, text] of hostile)
    it(`never throws: ${name}`, () => {
      const { problems } = parseSpec("reward", text);
      for (const { span, message } of problems) {
        assert.ok(span.start >= 0 && span.end >= span.start && message.endsWith("."), message);
      }
      assert.equal(Object.hasOwn(Object.prototype, "polluted"), false);
    });
});
