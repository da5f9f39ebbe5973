import assert from "node:assert/strict";
import fc from "fast-check";
import { fuzzRuns } from "../../../../../test/support/base/fuzz.ts";
import { readPythonLiteral } from "./pythonLiteral.ts";

describe("Python literals", () => {
  const cases: [string, unknown][] = [
    ["[{'role': 'user', 'n': 1.5, 'ok': True, 'x': None}]\n", [{ role: "user", n: 1.5, ok: true, x: null }]],
    [`["it's", 'say "hi"', 'don\\'t\\n\\t\\\\']`, ["it's", 'say "hi"', "don't\n\t\\"]],
    ["('a', (1, -2e3), [],)", ["a", [1, -2000], []]],
    ["{1: 'a', 'b': {}}", { "1": "a", b: {} }],
    ["'\\xe9\\u20ac\\U0001f600\\q'", "é€😀\\q"],
    ["{'__proto__': 1}", JSON.parse('{"__proto__": 1}')],
  ];
  for (const [text, value] of cases)
    it(`include ${JSON.stringify(text)}`, () => assert.deepEqual(readPythonLiteral(text), value));

  for (const text of [
    "",
    "[1",
    "'open",
    "[1 2]",
    "{1}",
    "{[]: 1}",
    "os.system('x')",
    "[1] + [2]",
    "nan",
    "'\\u12'",
    "[".repeat(5000),
  ])
    it(`do not include ${JSON.stringify(text.slice(0, 20))}`, () =>
      assert.equal(readPythonLiteral(text), undefined));

  it("are read as Python would write any JSON value", () => {
    const repr = (value: unknown): string => {
      if (value === null) return "None";
      if (typeof value === "boolean") return value ? "True" : "False";
      if (typeof value === "string")
        return `'${value.replaceAll("\\", "\\\\").replaceAll("'", "\\'").replaceAll("\n", "\\n")}'`;
      if (Array.isArray(value)) return `[${value.map(repr).join(", ")}]`;
      if (typeof value === "object")
        return `{${Object.entries(value)
          .map(([k, v]) => `${repr(k)}: ${repr(v)}`)
          .join(", ")}}`;
      return JSON.stringify(value);
    };
    fc.assert(
      fc.property(fc.jsonValue({ stringUnit: "grapheme", maxDepth: 4 }), (value) => {
        assert.equal(JSON.stringify(readPythonLiteral(repr(value))), JSON.stringify(value));
      }),
      { numRuns: fuzzRuns() },
    );
  });

  it("never make the reader throw", () =>
    fc.assert(
      fc.property(
        fc.string({ unit: fc.constantFrom(...Array.from("[]{}(),:'\"\\ux019Nn \nTrueone")) }),
        (text) => {
          readPythonLiteral(text);
        },
      ),
      { numRuns: fuzzRuns(1000) },
    ));
});
