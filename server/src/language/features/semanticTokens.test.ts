import assert from "node:assert/strict";
import { parseSpec } from "../syntax/parseSpec.ts";
import type { SpecKind } from "../syntax/specKind.ts";
import { semanticTokens } from "./semanticTokens.ts";

function shown(text: string, kind: SpecKind = "diagnostic"): string {
  return semanticTokens(parseSpec(kind, text))
    .map(({ span, type }) => `${type}:${text.slice(span.start, span.end)}`)
    .join(" ");
}

describe("semantic tokens", () => {
  const cases: readonly (readonly [string, string, string, SpecKind?])[] = [
    [
      "variables, numbers and operators",
      "label: { when: 'n_turns >= 8 && nonsense == true' }",
      "variable:n_turns operator:>= number:8 operator:&& property:nonsense operator:== keyword:true",
    ],
    [
      "a quantifier with its turn",
      'label:\n  when: turns.exists(t, t.tool == "open")\n',
      'variable:turns method:exists parameter:t parameter:t property:tool operator:== string:"open"',
    ],
    [
      "patterns and parameters",
      'params: { n: 1 }\nlabel:\n  when: stop_reason.matches("^a+$") || tokens > params.n\n',
      'variable:stop_reason method:matches regexp:"^a+$" operator:|| variable:tokens operator:> parameter:params parameter:n',
    ],
    [
      "expressions in a sentence",
      "over: version\nlabel:\n  when: score > 1\n  message: Score {score%} fell.\n",
      "variable:score operator:> number:1 variable:score",
    ],
    ["mappings", "fields:\n  item: record.id\n", "variable:record property:id", "evidence"],
    [
      "text that does not parse",
      'label:\n  when: (( n_turns > > "a\n',
      'variable:n_turns operator:> operator:> string:"a',
    ],
  ];
  for (const [name, text, expected, kind] of cases) it(name, () => assert.equal(shown(text, kind), expected));

  it("are at the right places in a folded block", () => {
    assert.equal(
      shown("label:\n  when: >\n    n_turns > 1\n    && tokens < 5\n"),
      "variable:n_turns operator:> number:1 operator:&& variable:tokens operator:< number:5",
    );
  });
});
