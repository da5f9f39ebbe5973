import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import fc from "fast-check";
import { fuzzRuns } from "../../../test/support/base/fuzz.ts";
import { skipBecause } from "../../../test/support/base/skip.ts";
import { fileBytes } from "./bytes.ts";
import { readDocument, type DocumentOptions } from "./document.ts";
import {
  fixtures,
  hasProgram,
  mutated,
  noFixtures,
  readsOrRefuses,
  refusal,
  runProgram,
  tempFolder,
} from "../../../test/support/reading/readers.ts";

const read = (bytes: string | Buffer, options: Partial<DocumentOptions> = {}) =>
  readDocument([Buffer.from(bytes)], { name: "a.json", ...options });

const nested = (depth: number): string => "[".repeat(depth) + "]".repeat(depth);

describe("JSON document reader", () => {
  const folder = tempFolder();

  const good: readonly [name: string, bytes: string, expected: unknown][] = [
    ["an object", '{"a": [1, "ü\\n", null, true]}', { a: [1, "ü\n", null, true] }],
    ["a byte order mark", "\ufeff[1]", [1]],
    ["CRLF", "{\r\n}\r\n", {}],
    ["a number", " 17 ", 17],
    ["the last of two equal keys", '{"a": 1, "a": 2}', { a: 2 }],
    ["NaN in strings", '{"NaN": "Infinity, NaN \\" NaN"}', { NaN: 'Infinity, NaN " NaN' }],
    ["a replacement character from the file", '["\ufffd"]', ["\ufffd"]],
  ];
  for (const [name, bytes, expected] of good)
    it(`reads ${name}`, async () => {
      assert.deepEqual(await read(bytes), { value: expected });
    });

  it("keeps a key named __proto__ as a key", async () => {
    const { value } = await read('{"__proto__": {"a": 1}}');
    assert.equal(JSON.stringify(value), '{"__proto__":{"a":1}}');
  });

  it("reads NaN and Infinity as null and says where they were", async () => {
    const bytes =
      '{"metrics": {"loss": NaN, "x y": -Infinity}, "rows": [[1], {"reward": Infinity, "n": "NaN"}], "é": NaN}';
    assert.deepEqual(await read(bytes), {
      value: { metrics: { loss: null, "x y": null }, rows: [[1], { reward: null, n: "NaN" }], é: null },
      nonFinite: { count: 4, paths: ["metrics.loss", 'metrics["x y"]', "rows[1].reward", '["é"]'] },
    });
    const many = await read(`[${"NaN,".repeat(100_000)}NaN]`);
    assert.equal(many.nonFinite?.count, 100_001);
    assert.deepEqual(many.nonFinite.paths.slice(-2), ["[18]", "[19]"]);
    assert.deepEqual((await read("NaN")).nonFinite, { count: 1, paths: [""] });
  });

  it("reads Python's spellings of NaN and Infinity", async function () {
    if (!hasProgram("python3")) skipBecause(this, "there is no python3 here");
    const program =
      "import json; print(json.dumps({'a': [float('nan'), float('-inf'), 1e400, 1.5], 'b': 'NaN'}))";
    assert.deepEqual(await read(runProgram("python3", ["-c", program])), {
      value: { a: [null, null, null, 1.5], b: "NaN" },
      nonFinite: { count: 3, paths: ["a[0]", "a[1]", "a[2]"] },
    });
  });

  const badCases: readonly [name: string, bytes: string | Buffer, expected: RegExp][] = [
    ["nothing", "", /^a.json cannot be read: it is empty at byte 0/],
    ["only spaces", " \n", /it is empty/],
    ["an object cut off", '{"a": [1, 2', /it ends in the middle of a value at byte 11/],
    ["a string cut off", '{"a": "b', /ends in the middle of a value/],
    ["a bad token", '{"é": 1, b: 2}', /it is not JSON \(.*\) at byte 10/],
    ["two values", "{} {}", /it is not JSON/],
    ["NaN as a key", "{NaN: 1}", /it is not JSON/],
    ["invalid UTF-8", Buffer.from([0x5b, 0x22, 0xc3, 0x28, 0x22, 0x5d]), /it is not valid UTF-8 at byte 2/],
    ["UTF-8 cut off", Buffer.from([0x22, 0xef, 0xbf, 0xbd, 0xe2, 0x82]), /it is not valid UTF-8 at byte 4/],
    ["UTF-16", Buffer.from("\ufeff{}", "utf16le"), /it is not valid UTF-8 at byte 0/],
    ["nesting 1,001 deep", nested(1001), /nests deeper than 1000 levels at byte 1000/],
    ["nesting 10,000 deep", `{"a":${nested(10_000)}}`, /nests deeper than 1000 levels/],
    ["ten million brackets", "[".repeat(10_000_000), /nests deeper than 1000 levels/],
    ["more values than memory may hold", `[${"0,".repeat(30_000_000)}0]`, /more than 30000000 values/],
  ];
  for (const [name, bytes, expected] of badCases)
    it(`refuses ${name}`, async () => {
      assert.match(await refusal(() => read(bytes)), expected);
    });

  it("refuses a document over the limit without reading all of it", async () => {
    let given = 0;
    function* endless(): Generator<Buffer> {
      for (;;) {
        given++;
        yield Buffer.alloc(1024, 0x20);
      }
    }
    const message = await refusal(() => readDocument(endless(), { name: "big.json", maxBytes: 1024 * 1024 }));
    assert.match(message, /^big.json is larger than 1 MiB/);
    assert.equal(given, 1025);
  });

  it("accepts no depth that JSON.stringify cannot write", async () => {
    for (const bytes of [nested(1000), `${'{"a":'.repeat(1000)}1${"}".repeat(1000)}`]) {
      const { value } = await read(bytes);
      assert.equal(JSON.stringify(value), bytes);
    }
  });

  it("reads a string of 50 MB, plain or full of escapes", async () => {
    const plain = await read(`{"a": "${"x".repeat(50_000_000)}"}`);
    assert.equal(JSON.stringify(plain.value).length, 50_000_008);
    const escaped = await read(`["${"\\\\".repeat(5_000_000)}", "${'\\"'.repeat(5_000_000)}"]`);
    assert.ok(Array.isArray(escaped.value) && escaped.value[1] === '"'.repeat(5_000_000));
  });

  it("agrees with JSON.parse, whatever value is in place of NaN", () => {
    const literals = ["NaN", "Infinity", "-Infinity"];
    return fc.assert(
      fc.asyncProperty(fc.json({ maxDepth: 5 }), fc.nat(2), async (json, n) => {
        const literal = literals[n] ?? "";
        const python = json.replaceAll(/"(?:[^"\\]|\\.)*"|null/g, (t) => (t === "null" ? literal : t));
        const { value, nonFinite } = await read(python);
        assert.deepEqual(value, JSON.parse(json));
        assert.equal(
          nonFinite?.count ?? 0,
          python === json ? 0 : python.split(literal).length - json.split(literal).length,
        );
      }),
      { numRuns: fuzzRuns() },
    );
  });

  it("reads or refuses any bytes", () =>
    fc.assert(
      fc.asyncProperty(
        fc.oneof(
          fc.uint8Array({ maxLength: 200 }),
          fc
            .array(
              fc.constantFrom("[", "]", "{", "}", '"', "\\", ",", ":", "NaN", "-Infinity", "1", "é", " "),
              { maxLength: 60 },
            )
            .map((p) => Buffer.from(p.join(""))),
        ),
        async (bytes) => {
          await readsOrRefuses(() => read(Buffer.from(bytes)));
        },
      ),
      { numRuns: fuzzRuns() },
    ));

  it("reads the real journals, and reads or refuses damaged ones", async function () {
    const files = [
      ...fixtures("lineage_aide_journal", ".json"),
      ...fixtures("lineage_ai_scientist_v2", ".json"),
      ...fixtures("agent_tau_bench", ".json"),
    ];
    if (files.length === 0) skipBecause(this, noFixtures);
    for (const name of files) {
      const { value } = await readDocument(fileBytes(name), { name });
      // The journals of AIDE are JSON texts that hold JSON.
      assert.ok(typeof value === "string" || (typeof value === "object" && value !== null), name);
    }
    const bytes = readFileSync(files[0] ?? "");
    await fc.assert(
      fc.asyncProperty(mutated(bytes), async (damaged) => {
        await readsOrRefuses(() => read(damaged));
      }),
      { numRuns: fuzzRuns(50) },
    );
  });

  it("reports that there is no file", async () => {
    await assert.rejects(
      readDocument(fileBytes(`${folder.path}/none.json`), { name: "none" }),
      /There is no file/,
    );
  });
});
