import assert from "node:assert/strict";
import fc from "fast-check";
import { parse, stringify } from "yaml";
import type { Scalar } from "../../../shared/spec/common.ts";
import { HarnessError } from "../base/errors.ts";
import { applyEdit } from "./applyEdit.ts";

describe("applyEdit", () => {
  const yaml = `# head
components:            # all of them
    correctness:
        shape: flat    # why flat
        weight: 1.50
    'odd key': {a: 1, b: "two", c: 'three'}

levels: [0, .3,   0.5, 1]
empty:
text: |
  one
  two
after: &anchor yes
used: &used 1
same: *used
1: number key
`;
  const cases: [string, Scalar, Scalar, string, string][] = [
    ["components.correctness.shape", "flat", "binary", "shape: flat ", "shape: binary "],
    ["components.correctness.weight", 1.5, 2, "weight: 1.50", "weight: 2"],
    ["components.correctness.weight", 1.5, null, "weight: 1.50", "weight: null"],
    ["components.odd key.b", "two", 'q"2', '"two"', String.raw`"q\"2"`],
    ["components.odd key.c", "three", "it's", "'three'", "'it''s'"],
    ["components.odd key.a", 1, "x, y", "a: 1", 'a: "x, y"'],
    ["levels.1", 0.3, 0.25, ".3,", "0.25,"],
    ["empty", null, "now", "empty:", "empty: now"],
    ["empty", null, false, "empty:", "empty: false"],
    ["text", "one\ntwo\n", "short", "|\n  one\n  two\n", "short\n"],
    ["after", "yes", "true", "&anchor yes", '&anchor "true"'],
    ["1", "number key", "# not a comment", "number key", '"# not a comment"'],
  ];
  for (const [path, from, to, old, now] of cases)
    it(`sets ${path} to ${JSON.stringify(to)} and nothing else`, () => {
      assert.equal(applyEdit(yaml, path, from, to), yaml.replace(old, now));
      const dos = yaml.replaceAll("\n", "\r\n");
      const edited = applyEdit(dos, path, from, to);
      assert.equal(edited, dos.replace(old.replaceAll("\n", "\r\n"), now.replaceAll("\n", "\r\n")));
    });

  it("writes JSON files as JSON", () => {
    const json = '{\n\t"a": {"b": 1, "c": "x"}\n}\n';
    assert.equal(applyEdit(json, "a.b", 1, "one"), json.replace("1", '"one"'));
    assert.equal(applyEdit(json, "a.c", "x", null), json.replace('"x"', "null"));
  });

  const refused: [string, string, Scalar, string, RegExp][] = [
    ["a missing path", "components.nothing.shape", "flat", "badInput", /no value at components\.nothing/],
    ["a path below a scalar", "components.correctness.shape.x", "flat", "badInput", /no value at/],
    ["a map", "components.correctness", "flat", "badInput", /not a single value/],
    ["an alias", "same", 1, "badInput", /alias/],
    ["an anchor that is used", "used", 1, "badInput", /other values refer to/],
    ["another current value", "components.correctness.shape", "steep", "badInput", /is "flat", not "steep"/],
    ["a value of another type", "components.correctness.weight", "1.5", "badInput", /is 1\.5, not "1\.5"/],
    ["an index past the end", "levels.4", 1, "badInput", /no value at levels\.4/],
  ];
  for (const [name, path, from, reason, message] of refused)
    it(`refuses ${name}`, () =>
      assert.throws(
        () => applyEdit(yaml, path, from, "new"),
        (e) => e instanceof HarnessError && e.reason === reason && message.test(e.message),
      ));

  it("refuses broken text", () => {
    for (const bad of ["a: [1\n", "a: 1\na: 2\n", "a: 1\n---\na: 1\n"])
      assert.throws(
        () => applyEdit(bad, "a", 1, 2),
        (e) => HarnessError.is(e, "specInvalid"),
      );
  });

  it("can be read back as the new value, whatever the values are", () => {
    const scalar = fc.oneof(
      fc.string({ unit: "binary" }),
      fc.double({ noNaN: true, noDefaultInfinity: true }),
      fc.boolean(),
      fc.constant(null),
    );
    fc.assert(
      fc.property(scalar, scalar, scalar, (from, to, other) => {
        const positive = (v: Scalar) => (v === 0 ? 0 : v);
        const text = stringify({ a: { b: positive(from) }, c: [positive(other)] });
        const current = (parse(text) as { a: { b: Scalar } }).a.b;
        const edited = applyEdit(text, "a.b", current, positive(to));
        assert.deepEqual(parse(edited), { a: { b: positive(to) }, c: (parse(text) as { c: unknown }).c });
      }),
      { numRuns: 300 },
    );
  });
});
