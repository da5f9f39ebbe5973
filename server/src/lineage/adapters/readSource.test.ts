import assert from "node:assert/strict";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import {
  fieldOf,
  parseJson,
  parseJsonDocuments,
  parseJsonLines,
  parseTable,
  readText,
} from "./readSource.ts";

describe("parseJsonDocuments", () => {
  const check = (text: string, values: unknown[], problems: RegExp[] = []): void => {
    const read = parseJsonDocuments(text, "f");
    assert.deepEqual(
      read.value.map((d) => d.value),
      values,
    );
    assert.equal(read.problems.length, problems.length, JSON.stringify(read.problems));
    for (const [i, pattern] of problems.entries()) assert.match(read.problems[i]?.reason ?? "", pattern);
  };
  it("reads several objects in a row, each over many lines", () =>
    check('{\n "a": 1,\n "b": [1, 2]\n}\n{\n "a": 2\n}\n', [{ a: 1, b: [1, 2] }, { a: 2 }]));
  it("reads NaN and the infinities as null, but not inside texts", () =>
    check('{"a": NaN, "b": [-Infinity, Infinity], "c": "NaN -Infinity"}', [
      { a: null, b: [null, null], c: "NaN -Infinity" },
    ]));
  it("continues after a broken document", () =>
    check('{"a": 1}\n{"b": \n{"c": 3}\n', [{ a: 1 }, { c: 3 }], [/ends in the middle/]));
  it("says where a document is broken", () =>
    assert.equal(parseJsonDocuments('{"a":1}\n\n{"b": x}\n{"c":2}', "f").problems[0]?.line, 3));
  it("refuses nesting that no tool writes, in limited time", () => {
    const deep = `${"[".repeat(100_000)}${"]".repeat(100_000)}`;
    check(`${deep}\n{"a":1}`, [{ a: 1 }], [/nests deeper than 256 levels/]);
  });
  it("is empty for an empty text", () => check(" \n", []));
  it("takes linear time for many broken lines", () => {
    const read = parseJsonDocuments('{"a\n'.repeat(50_000), "f");
    assert.equal(read.value.length, 0);
    assert.ok(read.problems.length <= 100);
  });
});

describe("parseJson", () => {
  for (const [text, pattern] of [
    ["", /it is empty/],
    ["{} {}", /text follows/],
    ["{", /ends in the middle/],
  ] as const)
    it(`refuses ${JSON.stringify(text)}`, () =>
      assert.match(parseJson(text, "f").problems[0]?.reason ?? "", pattern));
  it("reads a text", () => assert.equal(parseJson('"a\\"b"', "f").value, 'a"b'));
});

describe("parseJsonLines", () => {
  it("keeps the lines around a torn one, and names it", () => {
    const read = parseJsonLines('{"a":1}\n{"a":\n\n{"a":3}\n{"a":4', "f");
    assert.deepEqual(
      read.value.map((d) => d.line),
      [1, 4],
    );
    assert.deepEqual(
      read.problems.map((p) => p.line),
      [2, 5],
    );
  });
});

describe("parseTable", () => {
  it("sets aside short and long rows with their lines, and skips empty ones", () => {
    const read = parseTable("a\tb\n1\t2\n\nshort\n1\t2\t3\n4\t5\n", "f", "\t");
    assert.deepEqual(read.value.rows, [
      { line: 2, cells: { a: "1", b: "2" } },
      { line: 6, cells: { a: "4", b: "5" } },
    ]);
    assert.deepEqual(
      read.problems.map((p) => p.line),
      [4, 5],
    );
  });
  it("keeps quotes in TSV as they are", () =>
    assert.deepEqual(parseTable('a\tb\n"""x\t"y\n1\t2\n', "f", "\t").value.rows.length, 2));
  it("reads quoted cells of CSV, with line ends inside", () => {
    const read = parseTable('a,b\r\n"x, ""y""\nz",2\r\n3,4\r\n', "f", ",");
    assert.deepEqual(
      read.value.rows.map((r) => r.cells),
      [
        { a: 'x, "y"\nz', b: "2" },
        { a: "3", b: "4" },
      ],
    );
  });
  it("says that an empty file is empty", () =>
    assert.match(parseTable("", "f", ",").problems[0]?.reason ?? "", /empty/));
});

describe("readText", () => {
  const folder = mkdtempSync(join(tmpdir(), "evotrainer read "));
  after(() => rmSync(folder, { recursive: true, force: true }));
  const path = join(folder, "f");
  it("names the line of bytes that are not UTF-8", async () => {
    writeFileSync(
      path,
      Buffer.concat([Buffer.from("one\ntwo "), Buffer.from([0xff, 0xfe]), Buffer.from("\n")]),
    );
    const read = await readText(path, "f");
    assert.equal(read.value, "one\ntwo \uFFFD\uFFFD\n");
    assert.deepEqual(read.problems, [
      { file: "f", line: 2, reason: "it contains bytes that are not UTF-8; EvoTrainer shows them as \uFFFD" },
    ]);
  });
  it("keeps a � that is in the file", async () => {
    writeFileSync(path, "a\uFFFDb");
    assert.deepEqual((await readText(path, "f")).problems, []);
  });
  it("refuses a file over the limit without reading it", async () => {
    writeFileSync(path, "x".repeat(11));
    assert.match((await readText(path, "f", 10)).problems[0]?.reason ?? "", /over 10 bytes/);
  });
});

describe("fieldOf", () => {
  for (const [path, value] of [
    ["a.b", 1],
    ["x.y", 2],
    ["list.1.z", 3],
    ["a.c", undefined],
    ["constructor", undefined],
    ["a.b.c.d", undefined],
  ] as const)
    it(path, () => assert.equal(fieldOf({ "a.b": 1, x: { y: 2 }, list: [0, { z: 3 }], a: {} }, path), value));
});
