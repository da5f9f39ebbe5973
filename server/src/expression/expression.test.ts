import assert from "node:assert/strict";
import fc from "fast-check";
import { fuzzRuns } from "../../../test/support/base/fuzz.ts";
import { compileCondition, compileExpression, type Evaluation } from "./compileExpression.ts";
import { toJson } from "./json.ts";
import { Failure } from "./values.ts";

const row = {
  one: 1,
  half: 0.5,
  text: "héllo😀",
  list: [1, 2, 3],
  mixed: [1, "a", null],
  map: { k: 1, n: null, "": 2, constructor: 3 },
  start: "2026-01-31T09:00:00Z",
  none: null,
  yes: true,
};
const variables = Object.keys(row);

function evaluate(text: string, values: Readonly<Record<string, unknown>> = row): Evaluation {
  const compiled = compileExpression(text, { variables });
  assert.ok(compiled.ok, compiled.ok ? "" : `${text}: ${JSON.stringify(compiled.problems)}`);
  return compiled.program.evaluate(values);
}

/** The value as JSON; int and double are told apart by `type(..)` where it matters. */
function value(text: string): unknown {
  const result = evaluate(text);
  return result.ok ? toJson(result.value, { start: 0, end: 0 }) : `error: ${result.error.message}`;
}

type Cases = readonly (readonly [text: string, expected: unknown])[];
const check = (title: string, cases: Cases): void =>
  void describe(title, () => {
    for (const [text, expected] of cases) it(text, () => assert.deepEqual(value(text), expected));
  });

describe("expression", () => {
  check("literals", [
    ["1", 1],
    ["0x1F", 31],
    ["1.5e3", 1500],
    ["2u", 2],
    ["'a\\n\\u00e9'", "a\né"],
    ["r'\\d'", "\\d"],
    ["b'ab'", "YWI="],
    ["null", null],
    ["[1, 'a', [true]]", [1, "a", [true]]],
    ["{'a': 1, 2: 'b', true: null}", { a: 1, "2": "b", true: null }],
    ["{'a': 1, 'a': 2}", "error: This key appears twice."],
    ["{1.5: 1}", "error: The key of a map is a string, an int or a bool, not a number."],
    ["-9223372036854775808", "-9223372036854775808"],
  ]);

  check("int, uint and double", [
    ["7 / 2", 3],
    ["-7 / 2", -3],
    ["-7 % 3", -1],
    ["7.0 / 2.0", 3.5],
    ["9223372036854775807 + 1", "error: The number does not fit into an int (64 bits)."],
    ["-9223372036854775808 / -1", "error: The number does not fit into an int (64 bits)."],
    ["0u - 1u", "error: The number does not fit into a uint (64 bits, not negative)."],
    ["1 / 0", "error: Division by zero."],
    ["1 % 0", "error: Division by zero."],
    ["string(1.0 / 0.0)", "+Inf"],
    ["math.isNaN(0.0 / 0.0)", true],
    ["1 == 1.0 && 1u == 1 && 1u == 1.0", true],
    ["1 < 1.5 && 2u > 1.5 && -1 < 1u", true],
    ["9007199254740993 == 9007199254740992.0", false],
    ["9223372036854775807 < 9223372036854775808.0", true],
    ["double('nan') == double('nan')", false],
    ["double('nan') != double('nan')", true],
    ["double('nan') < 1.0 || double('nan') >= 1.0", false],
    ["type(1) == int && type(1.0) == double && type(1u) == uint", true],
  ]);

  check("a number of JSON is a double that may meet an int, so 1 and 1.0 in a file mean the same", [
    ["one >= 1 && one == 1 && one in [1, 2]", true],
    ["type(one) == double", true],
    ["one + 1", 2],
    ["one / 2", 0.5],
    ["int(one) / 2", 0],
    ["list[2] % 2", 1],
    ["half % 2", "error: % needs whole numbers."],
    ["one % 0", "error: Division by zero."],
    ["list[one]", 2],
    ["list[half]", "error: A list needs a whole number as its index, not a number."],
    ["string(one)", "1"],
    ["{1: 'a'}[one]", "a"],
    ["one + 1u", "error: A number and a uint cannot be added."],
  ]);

  check("comparison", [
    ["'a' < 'b' && b'a' < b'b' && false < true", true],
    ["'\\U0001F600' > '\\uFFFD'", true],
    ["text == 'x'", false],
    ["one == '1'", false],
    ["none == null && one != null", true],
    ["none < 1", "error: There is no order between null and an int."],
    ["[1, 2.0] == [1.0, 2]", true],
    ["{'a': [1]} == {'a': [1.0]}", true],
    ["map == {'k': 1, 'n': null, '': 2, 'constructor': 3}", true],
    ["[double('nan')] == [double('nan')]", false],
  ]);

  check("fields and elements", [
    ["map.k", 1],
    ["map['k']", 1],
    ["map['']", 2],
    ["map.constructor", 3],
    ["map.toString", "error: There is no toString here."],
    ["map.__proto__", "error: There is no __proto__ here."],
    ["map.missing", "error: There is no missing here."],
    ["none.k", "error: k cannot be read from null."],
    ["list.k", "error: k cannot be read from a list."],
    ["list[3]", "error: There is no element 3 in a list of 3."],
    ["list[-1]", "error: There is no element -1 in a list of 3."],
    ["has(map.k) && has(map.n) && !has(map.z)", true],
    ["has(map.z.z)", "error: There is no z here."],
    ["has(map.toString)", false],
    ["'k' in map && !('z' in map) && !('toString' in map)", true],
    ["2 in list && !(4 in list) && !('1' in list)", true],
    ["1 in text", "error: `in` needs a list or a map on its right, not a string."],
    ["map.?k.orValue(9)", 1],
    ["map.?z.?y.orValue(9)", 9],
    ["map.?n.?y.orValue(9)", 9],
    ["map.?k.optMap(x, x + 1).orValue(0)", 2],
    ["list[?7].orValue(-1)", -1],
    ["list.last().value()", 3],
    ["[].first().hasValue()", false],
    ["map.?z.value()", "error: The optional has no value."],
    ["optional.of(1).or(optional.none()).value()", 1],
  ]);

  check("errors and what absorbs them", [
    ["map.z || true", true],
    ["true || map.z", true],
    ["map.z && false", false],
    ["map.z || false", "error: There is no z here."],
    ["map.z && map.y", "error: There is no z here."],
    ["one || true", true],
    ["one || false", "error: This must be true or false, not a number."],
    ["yes ? 1 : map.z", 1],
    ["map.z ? 1 : 2", "error: There is no z here."],
    ["!none", "error: This must be true or false, not null."],
    ["mixed.exists(x, x > 0)", true],
    ["mixed.all(x, x > 1)", false],
    ["mixed.all(x, x > 0)", "error: There is no order between a string and an int."],
    ["mixed.exists(x, x > 1)", "error: There is no order between a string and an int."],
    ["mixed.exists_one(x, x == 1)", true],
    ["mixed.exists_one(x, x > 0)", "error: There is no order between a string and an int."],
    ["[1 / 0, 1].size()", "error: Division by zero."],
  ]);

  check("macros", [
    ["list.all(x, x > 0) && [].all(x, false)", true],
    ["list.exists(x, x > 2) && ![].exists(x, true)", true],
    ["list.filter(x, x > 1)", [2, 3]],
    ["list.map(x, x * 2)", [2, 4, 6]],
    ["list.map(x, x > 1, x * 2)", [4, 6]],
    ["list.map(x, list.filter(y, y > x))", [[2, 3], [3], []]],
    ["list.exists(x, list.exists(x, x == 3) && x == 1)", true],
    ["map.exists(k, map[k] == 3)", true],
    ["{1: 'a'}.map(k, k + 1)", [2]],
    ["cel.bind(x, list.size(), x * x)", 9],
    ["list.map(one, one + 1)", [2, 3, 4]],
    ["one.map(x, x)", "error: A list or a map is needed here, not a number."],
  ]);

  check("strings by code points", [
    ["size(text)", 6],
    ["text.size()", 6],
    ["text.charAt(5)", "😀"],
    ["text.charAt(6)", ""],
    ["text.charAt(7)", "error: charAt: the index lies outside the text."],
    ["text.substring(1, 3)", "él"],
    ["text.substring(5)", "😀"],
    ["text.substring(3, 1)", "error: substring: the index lies outside the text."],
    ["text.indexOf('😀')", 5],
    ["text.indexOf('l', 3)", 3],
    ["text.lastIndexOf('l')", 3],
    ["text.indexOf('x')", -1],
    ["text.contains('llo') && text.startsWith('hé') && text.endsWith('😀')", true],
    ["none.contains('a')", "error: contains needs a string, not null."],
    ["'ÄBz'.lowerAscii() + 'äbz'.upperAscii()", "ÄbzäBZ"],
    ["' \\u0085a\\u00a0\\n'.trim()", "a"],
    ["'a,b,c'.split(',')", ["a", "b", "c"]],
    ["'a,b,c'.split(',', 2)", ["a", "b,c"]],
    ["'a,b'.split(',', 0)", []],
    ["'é😀'.split('')", ["é", "😀"]],
    ["['a', 'b'].join('-') + ['c'].join()", "a-bc"],
    ["[1].join('')", "error: join needs a list of strings; use map(x, string(x))."],
    ["'aaa'.replace('a', 'b', 2)", "bba"],
    ["'ab'.replace('', '-')", "-a-b-"],
    ["'ab'.replace('', '-', 1)", "-ab"],
    ["'foobar'.matches('o+b')", true],
    ["matches('foobar', '^bar')", false],
    ["'FOO'.matches('(?i)foo')", true],
    ["'a'.matches('[' + 'a')", "error: Not a pattern of RE2: missing closing ]: `[a`."],
    ["regex.extract('step_0012.json', r'step_(\\d+)').optMap(x, int(x)).orValue(-1)", 12],
    ["regex.extractAll('a1b22', r'\\d+')", ["1", "22"]],
    ["regex.replace('a1b22', r'(\\d)(\\d)', r'\\2\\1')", "a1b22"],
    ["regex.replace('a12', r'(\\d)(\\d)', r'\\2\\1')", "a21"],
  ]);

  check("conversions", [
    ["int('42') + int(-1.9) + int(7u)", 48],
    ["int('0x10')", 'error: "0x10" cannot be read as int.'],
    ["int('')", 'error: "" cannot be read as int.'],
    ["int(1e30)", "error: The number does not fit into an int (64 bits)."],
    ["double('1e3') + double('-.5') + double(1)", 1000.5],
    ["double(' 1')", 'error: " 1" cannot be read as double.'],
    ["double('-inf') < 0.0", true],
    ["string(1) + string(1.5) + string(true) + string(b'\\xc3\\xa9')", "11.5trueé"],
    ["string(b'\\xff')", "error: These bytes are not UTF-8."],
    ["string(none)", "error: There is no string for null."],
    ["bool('true') && !bool('False')", true],
    ["bool('yes')", 'error: "yes" cannot be read as bool.'],
    ["uint(-1)", "error: The number does not fit into a uint (64 bits, not negative)."],
    ["bytes('é').size()", 2],
    ["[type(none) == null_type, type('') == string, type(type(1)) == type]", [true, true, true]],
    ["dyn(1) + 1", 2],
  ]);

  check("math and lists", [
    ["math.greatest(1, 2.5, 2) == 2.5 && math.least([3, 1]) == 1", true],
    ["math.least([])", "error: math.least needs at least one number."],
    ["[math.abs(-1), math.abs(-1.5), math.ceil(1.2), math.floor(-1.2)]", [1, 1.5, 2, -2]],
    ["[math.round(-1.5), math.round(1.5), math.trunc(-1.7), math.sign(-3)]", [-2, 2, -1, -1]],
    ["math.sqrt(16)", 4],
    ["math.abs(none)", "error: math.abs needs a number, not null."],
    ["[1, 1.0, 'a', 'a', 2].distinct()", [1, "a", 2]],
    ["list.slice(1, 3)", [2, 3]],
    ["list.slice(2, 9)", "error: slice: the range lies outside the list."],
    ["[[1], [2, 3], 4].flatten().reverse()", [4, 3, 2, 1]],
    ["lists.range(3)", [0, 1, 2]],
  ]);

  check("times", [
    ["timestamp(start) + duration('90s')", "2026-01-31T09:01:30Z"],
    ["(timestamp('2026-01-31T10:00:00.5+01:00') - timestamp(start)).getMilliseconds()", 500],
    ["timestamp(start).getHours() + timestamp(start).getDayOfYear()", 39],
    ["int(timestamp(start)) == 1769850000", true],
    ["timestamp(1769850000.25) > timestamp(start)", true],
    ["duration('1h30m') == duration('5400s') && duration('-1.5s') < duration('0')", true],
    ["string(duration('1.5s'))", "1.5s"],
    [
      "timestamp('2026-01-31T09:00:00') == timestamp(start)",
      `error: timestamp needs a time such as "2026-01-31T09:00:00Z" with its time zone, or seconds since 1970.`,
    ],
    ["duration('soon')", 'error: duration needs a text such as "90s", "1h30m" or "250ms".'],
  ]);

  it("says where an evaluation failed", () => {
    const result = evaluate("yes && map.zzz > 1");
    assert.deepEqual(result, { ok: false, error: { start: 7, end: 14, message: "There is no zzz here." } });
  });

  it("reports a declared variable that is missing from a row", () => {
    const result = evaluate("one > 0", {});
    assert.ok(!result.ok);
    assert.equal(result.error.message, "one is missing.");
  });
});

/** Problems as `text under the range: message`. */
function problems(text: string): string[] {
  const compiled = compileExpression(text, { variables: ["record", "line"] });
  return compiled.ok
    ? []
    : compiled.problems.map(({ start, end, message }) => `${text.slice(start, end)}: ${message}`);
}

describe("problems of an expression", () => {
  const cases: readonly (readonly [string, readonly string[]])[] = [
    ["record.a && line > 1", []],
    ["recrd.a > 1", ["recrd: Unknown variable: recrd. Known here: record, line."]],
    [
      "a || (b ? c.d : record.e.exists(x, x == y)) && len(record) > 1",
      [
        "a: Unknown variable: a. Known here: record, line.",
        "b: Unknown variable: b. Known here: record, line.",
        "c: Unknown variable: c. Known here: record, line.",
        "y: Unknown variable: y. Known here: record, line, x.",
        "len(record): There is no function len; write size(x).",
      ],
    ],
    [
      "record.a.startswith('x')",
      ["record.a.startswith('x'): There is no function startswith; write startsWith."],
    ],
    [
      "contains(record.a, 'b')",
      ["contains(record.a, 'b'): contains is called on a value: write x.contains(..)."],
    ],
    ["record.a.double()", ["record.a.double(): double is called with its value inside: write double(x)."]],
    ["max(1, 2)", ["max(1, 2): There is no function max; write math.greatest(a, b)."]],
    ["math.median(1)", ["math.median(1): There is no function math.median."]],
    ["size()", ["size(): size takes 1 argument, not 0."]],
    ["record.a.contains()", ["record.a.contains(): contains takes 1 argument, not 0."]],
    [
      "record.a.substring(1, 2, 3)",
      ["record.a.substring(1, 2, 3): substring takes 1 to 2 arguments, not 3."],
    ],
    [
      "record.a.matches('(') || record.b.matches('(?=x)')",
      [
        "'(': Not a pattern of RE2: missing closing ): `(`.",
        "'(?=x)': Not a pattern of RE2: invalid or unsupported Perl syntax: `(?=`.",
      ],
    ],
    ["record.a.exists(1, true)", ["1: exists(var, predicate) invalid predicate iteration variable."]],
    [
      "record.a.exists(x)",
      ["record.a.exists(x): exists is written exists(x, ..) with a name for each element and an expression."],
    ],
    ["has(record)", ["record: has needs a field: has(record.field)."]],
    ["1 + 'a'", ["1 + 'a': + is not defined for an int and a string."]],
    ["line == 1 && size(line)", ["size(line): A side of && must be true or false, not an int."]],
    ["size(line) == 'a'", ["size(line) == 'a': An int cannot be compared with a string."]],
    ["record.a ==", ["=: Something is missing at the end: the expression breaks off."]],
    ["9223372036854775808", ["9223372036854775808: The number does not fit into an int (64 bits)."]],
  ];
  for (const [text, expected] of cases) it(text, () => assert.deepEqual(problems(text), expected));

  it("include a pattern that is very long", () => {
    const compiled = compileExpression(`record.a.matches('${"a".repeat(10_001)}')`, {
      variables: ["record"],
    });
    assert.ok(!compiled.ok);
    assert.equal(compiled.problems[0]?.message, "A pattern may have at most 10000 characters.");
  });
  it("include a condition that is not a true or false value", () => {
    const sum = compileCondition("size(line) + 1", { variables: ["line"] });
    assert.deepEqual(sum, {
      ok: false,
      problems: [{ start: 0, end: 14, message: "A condition must be true or false; this is an int." }],
    });
    const open = compileCondition("line", { variables: ["line"] });
    assert.ok(open.ok);
    assert.deepEqual(open.program.evaluate({ line: true }), { ok: true, value: true });
    assert.ok(open.program.run({ line: 1 }) instanceof Failure);
  });
});

describe("bounds of an evaluation", () => {
  const run = (text: string, record: unknown): string => {
    const compiled = compileExpression(text, { variables: ["record"] });
    assert.ok(compiled.ok);
    const result = compiled.program.evaluate({ record });
    return result.ok ? "a value" : result.error.message;
  };
  const many = Array.from({ length: 5000 }, (_, i) => i);
  const deep: unknown = JSON.parse(`${"[".repeat(10_000)}${"]".repeat(10_000)}`);
  const cases: readonly (readonly [string, string, unknown, RegExp])[] = [
    ["nested loops", "record.all(x, record.all(y, x + y >= 0))", many, /stopped after 1,000,000 steps/],
    ["copies of lists", "record.map(x, record + record)", many, /stopped after/],
    ["flattened copies", "record.map(x, record).flatten()", many, /stopped after/],
    ["ranges", "lists.range(9007199254740991)", null, /stopped after/],
    ["growing text", `record${".replace('a', 'aaaaaaaaaaaaaaaaaaaa')".repeat(20)}`, "a", /stopped|longer/],
    [
      "joined copies",
      "record.map(x, 'aaaaaaaaaaaaaaaaaaaa').map(x, record.map(y, x).join()).join()",
      many,
      /stopped|longer/,
    ],
    ["values nested 10,000 deep", "record == [record]", deep, /nested deeper|a value/],
    ["equal values nested 10,000 deep", "record == record", deep, /nested deeper/],
    ["a pattern that hangs elsewhere", "record.matches('^(a+)+$')", `${"a".repeat(50_000)}!`, /a value/],
  ];
  for (const [name, text, record, expected] of cases)
    it(name, () => assert.match(run(text, record), expected));
});

describe("any text as an expression", () => {
  const words = fc.constantFrom(
    ..."record line . ( ) [ ] { } , : ? && || ! == < + - * / % in has all exists map size int matches .? [? 1 2.5 'a' r'( b'x null true math abs cel bind x".split(
      " ",
    ),
  );
  it("never throws, neither when compiled nor when run", () =>
    fc.assert(
      fc.property(
        fc.oneof(
          fc.array(words, { maxLength: 20 }).map((some) => some.join(" ")),
          fc.string(),
        ),
        fc.jsonValue(),
        (text, record) => {
          const compiled = compileExpression(text, { variables: ["record", "line"] });
          if (compiled.ok) compiled.program.evaluate({ record, line: 1 });
          else for (const { start, end } of compiled.problems) assert.ok(start >= 0 && start < end);
        },
      ),
      { numRuns: fuzzRuns(1000) },
    ));
});
