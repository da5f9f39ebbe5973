import assert from "node:assert/strict";
import { Environment, Optional as LibraryOptional } from "@marcbachmann/cel-js";
import fc from "fast-check";
import { fuzzRuns } from "../../../test/support/base/fuzz.ts";
import { compileExpression } from "./compileExpression.ts";
import { toJson } from "./json.ts";
import { isRecord, Optional, Uint } from "./values.ts";

const names = ["a", "b", "s", "t", "l", "w", "m", "n", "p"] as const;

const library = new Environment({
  unlistedVariablesAreDyn: false,
  homogeneousAggregateLiterals: false,
  enableOptionalTypes: true,
});
for (const name of names) library.registerVariable(name, "dyn");

type Result = { readonly value: unknown } | { readonly error: string };

function ours(text: string, row: Readonly<Record<string, unknown>>): Result {
  const compiled = compileExpression(text, { variables: names });
  if (!compiled.ok) return { error: compiled.problems.map(({ message }) => message).join(" ") };
  const result = compiled.program.evaluate(row);
  return result.ok ? { value: comparable(result.value) } : { error: result.error.message };
}

function theirs(text: string, row: Readonly<Record<string, unknown>>): Result {
  try {
    const value: unknown = library.evaluate(text, { ...row });
    return { value: comparable(value) };
  } catch (e) {
    assert.ok(e instanceof Error);
    return { error: e.message.split("\n", 1)[0] ?? "" };
  }
}

/** int and double stay apart, maps and optionals of both sides become one form. */
function comparable(value: unknown): unknown {
  if (typeof value === "bigint") return `int ${value}`;
  if (value instanceof Uint) return `uint ${value.value}`;
  if (Array.isArray(value)) return value.map(comparable);
  if (value instanceof Optional) return value.present ? { of: comparable(value.value) } : "none";
  if (value instanceof Map)
    return Object.fromEntries([...value].map(([key, of]) => [String(key), comparable(of)]));
  if (typeof value === "object" && value !== null) {
    if (value instanceof LibraryOptional)
      return value.hasValue() ? { of: comparable(value.value()) } : "none";
    if (isRecord(value))
      return Object.fromEntries(Object.entries(value).map(([key, of]) => [key, comparable(of)]));
    const plain: unknown = value.valueOf();
    if (typeof plain === "bigint") return `uint ${plain}`;
    return toJson(value, { start: 0, end: 0 });
  }
  return value;
}

/** Where the two differ on purpose; each is shown by an example, so that the list cannot grow stale. */
const differences: readonly {
  readonly reason: string;
  readonly text: string;
  readonly ours: unknown;
  readonly theirs: unknown;
  /** An error of either side that means this difference, when the two disagree on a generated expression. */
  readonly when?: RegExp;
}[] = [
  {
    reason: "a number of JSON may meet an int: 1 and 1.0 in a file mean the same",
    text: "a + 1",
    ours: { value: 3 },
    theirs: { error: "no such overload: dyn<double> + int" },
  },
  {
    reason: "% takes doubles without a fraction, for the same reason",
    text: "a % 2",
    ours: { value: 0 },
    theirs: { error: "no such overload: dyn<double> % int" },
  },
  {
    reason: "int, uint and double as text: only decimal digits; the library reads what BigInt reads",
    text: "int('')",
    ours: { error: '"" cannot be read as int.' },
    theirs: { value: "int 0" },
    when: /cannot be read as int/,
  },
  {
    reason: "-(-2^63) does not fit",
    text: "-int('-9223372036854775808')",
    ours: { error: "The number does not fit into an int (64 bits)." },
    theirs: { value: "int 9223372036854775808" },
    when: /does not fit into an int/,
  },
  {
    reason: "lowerAscii changes A to Z only",
    text: "'ÄB'.lowerAscii()",
    ours: { value: "Äb" },
    theirs: { value: "äb" },
  },
  {
    reason: "positions in strings count code points",
    text: "'😀x'.indexOf('x')",
    ours: { value: "int 1" },
    theirs: { value: "int 2" },
  },
  {
    reason: "strings are ordered by code points",
    text: "'\\U0001F600' > '\\uFFFD'",
    ours: { value: true },
    theirs: { value: false },
  },
  {
    reason: "an empty separator parts code points",
    text: "'😀'.split('')",
    ours: { value: ["😀"] },
    theirs: { value: ["\ud83d", "\ude00"] },
  },
  {
    reason: "patterns are RE2's, in time linear in the text",
    text: "'aa'.matches('(?=a)')",
    ours: { error: "Not a pattern of RE2: invalid or unsupported Perl syntax: `(?=`." },
    theirs: { value: true },
  },
  {
    reason: "the library's checker refuses what is never reached, or what is decided by the values",
    text: "double(2) == 2",
    ours: { value: true },
    theirs: { error: "no such overload: double == int" },
    when: /^(no such overload: |found no matching overload |Ternary branches must |Ternary condition must |Logical operator requires |Expression of type |Variable .* is not of type |.* predicate must return )/,
  },
  {
    reason: "elements of an empty list have no type; the library mistakes them for two",
    text: "[].filter(e, e > 1.0)",
    ours: { value: [] },
    theirs: {
      error: "Operator overload 'double > double: bool' overlaps with 'int > double: bool'.",
    },
  },
  {
    reason:
      "numbers and strings have no order; the library takes the kind of a list's first part for granted",
    text: "([] + ([1.5] + l)).exists(e, e < w[0])",
    ours: { error: "There is no order between a number and a string." },
    theirs: { value: false },
  },
];

const row = { a: 2, b: 0.5, s: "ab", t: "", l: [1, 2, 3], w: ["x"], m: { k: 1 }, n: null, p: true };

describe("differences from the library's evaluator", () => {
  for (const { reason, text, ours: here, theirs: there } of differences)
    it(`${text}: ${reason}`, () => {
      assert.deepEqual(ours(text, row), here);
      assert.deepEqual(theirs(text, row), there);
    });
});

/** Expressions by kind, sometimes of another kind than is wanted. */
const expressions = fc.letrec<Record<"bool" | "int" | "double" | "text" | "list" | "any", string>>((tie) => {
  const noisy = (arbitrary: fc.Arbitrary<string>) =>
    fc.oneof({ weight: 24, arbitrary }, { weight: 1, arbitrary: tie("any") });
  const of = (kind: "bool" | "int" | "double" | "text" | "list") => noisy(tie(kind));
  const make = (parts: readonly fc.Arbitrary<string>[], text: (...of: string[]) => string) =>
    fc.tuple(...parts).map((values) => text(...values));
  const pick = (...texts: string[]) => fc.constantFrom(...texts);
  const options = { maxDepth: 4, depthIdentifier: "e", withCrossShrink: true } as const;
  const word = pick("'a'", "'ab'", "''", "'x y'", '"é"', "r'\\d'");
  const pattern = pick("'^a'", "'b+$'", "'[a-c]x?'", "'.'", "'a|é'");
  return {
    bool: fc.oneof(
      options,
      pick("true", "false", "p", "has(m.k)", "has(m.zz)", "m.k == 1.0", "m.zz"),
      make([of("bool"), pick("&&", "||"), of("bool")], (x, op, y) => `(${x} ${op} ${y})`),
      make([of("bool")], (x) => `!${x}`),
      make([of("bool"), of("bool"), of("bool")], (c, x, y) => `(${c} ? ${x} : ${y})`),
      make(
        [of("double"), pick("<", "<=", ">", ">=", "==", "!="), fc.oneof(of("double"), of("int"))],
        (x, op, y) => `(${x} ${op} ${y})`,
      ),
      make([of("int"), pick("<", "<=", ">", ">=", "==", "!="), of("int")], (x, op, y) => `(${x} ${op} ${y})`),
      make([of("text"), pick("<", ">", "==", "!="), word], (x, op, y) => `(${x} ${op} ${y})`),
      make(
        [of("text"), pick("contains", "startsWith", "endsWith"), of("text")],
        (x, f, y) => `${x}.${f}(${y})`,
      ),
      make([of("text"), pattern], (x, y) => `${x}.matches(${y})`),
      make([of("double"), of("list")], (x, y) => `(${x} in ${y})`),
      make([word], (x) => `(${x} in m)`),
      make(
        [of("list"), pick("all", "exists", "exists_one"), of("double")],
        (x, f, y) => `${x}.${f}(e, e >= ${y})`,
      ),
      make([of("list"), of("list")], (x, y) => `${x}.exists(e, ${y}.all(f, e <= f))`),
    ),
    int: fc.oneof(
      options,
      pick("0", "1", "-3", "7", "9223372036854775807"),
      make([of("int"), pick("+", "-", "*", "/", "%"), of("int")], (x, op, y) => `(${x} ${op} ${y})`),
      make([of("text")], (x) => `size(${x})`),
      make([of("list")], (x) => `${x}.size()`),
      make([of("double")], (x) => `int(${x})`),
      make([of("bool"), of("int"), of("int")], (c, x, y) => `(${c} ? ${x} : ${y})`),
    ),
    double: fc.oneof(
      options,
      pick("a", "b", "1.5", "0.0", "-2.0", "m.k", "l[0]"),
      make([of("double"), pick("+", "-", "*", "/"), of("double")], (x, op, y) => `(${x} ${op} ${y})`),
      make([of("int")], (x) => `double(${x})`),
      make([of("double")], (x) => `-${x}`),
    ),
    text: fc.oneof(
      options,
      pick("s", "t", "w[0]"),
      word,
      make([of("text"), of("text")], (x, y) => `(${x} + ${y})`),
      make([fc.oneof(of("int"), of("bool"), of("double"))], (x) => `string(${x})`),
      make([of("text")], (x) => `${x}.trim()`),
      make([of("text"), pick("','", "''", "'-'")], (x, y) => `[${x}, s].join(${y})`),
      make([of("text"), pick("0", "1", "2")], (x, y) => `('z' + ${x}).substring(${y})`),
    ),
    list: fc.oneof(
      options,
      // No []: its type misleads the library, as shown above; rows bring empty lists.
      pick("l", "[1.0, 2.5]"),
      make([of("double"), of("double")], (x, y) => `[${x}, ${y}]`),
      make([of("list"), of("list")], (x, y) => `(${x} + ${y})`),
      make([of("list"), of("double")], (x, y) => `${x}.filter(e, e > ${y})`),
      make([of("list"), pick("*", "+", "-"), of("double")], (x, op, y) => `${x}.map(e, e ${op} ${y})`),
      make([of("list"), of("double")], (x, y) => `${x}.map(e, e < ${y}, e * 2.0)`),
    ),
    any: fc.oneof(
      options,
      pick("n", "m", "w", "null"),
      tie("bool"),
      tie("int"),
      tie("double"),
      tie("text"),
      tie("list"),
    ),
  };
});

const jsonNumber = fc.oneof(fc.integer({ min: -5, max: 5 }), fc.constantFrom(0.5, -1.5, 1e18, 1e300));
const rows = fc.record({
  a: jsonNumber,
  b: fc.oneof(
    { weight: 5, arbitrary: jsonNumber },
    { weight: 1, arbitrary: fc.constantFrom(null, "1", true) },
  ),
  s: fc.oneof(fc.constantFrom("", "a", "ab", " x ", "é", "a1"), fc.string({ maxLength: 5 })),
  t: fc.oneof(
    { weight: 5, arbitrary: fc.string({ maxLength: 3 }) },
    { weight: 1, arbitrary: fc.constant(null) },
  ),
  l: fc.array(jsonNumber, { maxLength: 4 }),
  w: fc.array(fc.string({ maxLength: 3 }), { maxLength: 3 }),
  m: fc.dictionary(fc.constantFrom("k", "a", "zz"), fc.oneof(jsonNumber, fc.boolean()), { maxKeys: 3 }),
  n: fc.constant(null),
  p: fc.boolean(),
});

describe("closures and the library's evaluator", function () {
  this.timeout(240_000);

  it("agree on generated expressions over generated rows", () => {
    let compared = 0;
    fc.assert(
      fc.property(
        fc.oneof(expressions.bool, expressions.int, expressions.double, expressions.text, expressions.list),
        fc.array(rows, { minLength: 1, maxLength: 4 }),
        (text, some) => {
          for (const one of some) {
            const [here, there] = [ours(text, one), theirs(text, one)];
            if ("error" in here && "error" in there) continue;
            const error = "error" in here ? here.error : "error" in there ? there.error : undefined;
            if (error !== undefined && differences.some(({ when }) => when?.test(error))) continue;
            assert.deepEqual(here, there, `${text} over ${JSON.stringify(one)}`);
            compared++;
          }
        },
      ),
      { numRuns: fuzzRuns(2000) },
    );
    assert.ok(compared >= 1000, `only ${compared} evaluations gave a value on both sides`);
  });
});
