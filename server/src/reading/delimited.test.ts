import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import fc from "fast-check";
import { fuzzRuns } from "../../../test/support/base/fuzz.ts";
import { skipBecause } from "../../../test/support/base/skip.ts";
import { fileBytes } from "./bytes.ts";
import { readDelimited, type DelimitedItem, type DelimitedOptions } from "./delimited.ts";
import {
  fixtures,
  mutated,
  noFixtures,
  readsOrRefuses,
  refusal,
} from "../../../test/support/reading/readers.ts";

const csv = { name: "a.csv", delimiter: ",", quoted: true } as const;
const tsv = { name: "a.tsv", delimiter: "\t", quoted: false } as const;

async function read(
  bytes: string | Buffer,
  options: DelimitedOptions,
  piece = Infinity,
): Promise<DelimitedItem[]> {
  const whole = Buffer.from(bytes);
  const chunks: Buffer[] = [];
  for (let i = 0; i < whole.length; i += Math.min(piece, whole.length))
    chunks.push(whole.subarray(i, i + piece));
  const items: DelimitedItem[] = [];
  for await (const item of readDelimited(chunks, options)) items.push(item);
  return items;
}

/** Each item in short: its line, and its columns, values or reason. */
async function check(
  bytes: string | Buffer,
  options: DelimitedOptions,
  expected: readonly unknown[],
): Promise<void> {
  for (const piece of [Infinity, 1, 5]) {
    const items = await read(bytes, options, piece);
    assert.deepEqual(
      items.map((i) => [
        i.line,
        i.type === "header" ? i.columns : i.type === "row" ? i.values : `${i.reason}: ${i.fields.join("|")}`,
      ]),
      expected,
    );
  }
}

describe("the table reader", () => {
  it("reads CSV with quotes over several lines", () =>
    check('\ufeffa,b\r\n1,"x, ""y""\nz"\r\n\r\n-0.50,NaN\n"",\n', csv, [
      [1, ["a", "b"]],
      [2, { a: "1", b: 'x, "y"\nz' }],
      [5, { a: "-0.50", b: "NaN" }],
      [6, { a: "", b: "" }],
    ]));

  it("reads quotes in a TSV as text", () =>
    check(
      'commit\tstatus\tdescription\nabc\tkeep\t"quoted" and 5" wide\ndef\tdiscard\t"never closed\nghi\tcrash\té☃𝕏\n',
      tsv,
      [
        [1, ["commit", "status", "description"]],
        [2, { commit: "abc", status: "keep", description: '"quoted" and 5" wide' }],
        [3, { commit: "def", status: "discard", description: '"never closed' }],
        [4, { commit: "ghi", status: "crash", description: "é☃𝕏" }],
      ],
    ));

  it("reports short and long rows by line, and shifts no values", () =>
    check("a\tb\tc\n1\t2\n\n1\t2\t3\t4\n \nfree text\n1\t2\t3", tsv, [
      [1, ["a", "b", "c"]],
      [2, "it has 2 fields, but the header has 3: 1|2"],
      [4, "it has 4 fields, but the header has 3: 1|2|3|4"],
      [6, "it has 1 field, but the header has 3: free text"],
      [7, { a: "1", b: "2", c: "3" }],
    ]));

  it("accepts mixed line ends", () =>
    check("a\tb\r\n1\t2\n3\t4\r\n", tsv, [
      [1, ["a", "b"]],
      [2, { a: "1", b: "2" }],
      [3, { a: "3", b: "4" }],
    ]));

  it("tells columns apart that have the same name or no name", () =>
    check("loss,loss,, step \n1,2,3,4\n", csv, [
      [1, ["loss", "loss (2)", "column 3", "step"]],
      [1, "its header names a column twice or leaves one without a name: loss|loss|| step "],
      [2, { loss: "1", "loss (2)": "2", "column 3": "3", step: "4" }],
    ]));

  for (const name of ["", "Unnamed: 0"])
    it(`leaves out a first column ${name || "without a name"} that counts the rows`, () =>
      check(`${name},step,loss\n0,10,0.5\n1,20,0.4\n2,30\n`, csv, [
        [1, ["step", "loss"]],
        [2, { step: "10", loss: "0.5" }],
        [3, { step: "20", loss: "0.4" }],
        [4, "it has 2 fields, but the header has 3: 2|30"],
      ]));

  it("keeps a first column without a name that holds names", () =>
    check(",step\nrun,10\n", csv, [
      [1, ["column 1", "step"]],
      [1, "its header names a column twice or leaves one without a name: |step"],
      [2, { "column 1": "run", step: "10" }],
    ]));

  it("reads a header alone, whatever its first name", () =>
    check(",step\n", csv, [
      [1, ["column 1", "step"]],
      [1, "its header names a column twice or leaves one without a name: |step"],
    ]));

  it("takes the columns from the caller when there is no header", () =>
    check("1,2\n", { ...csv, columns: ["x", "__proto__"] }, [
      [1, JSON.parse('{"x": "1", "__proto__": "2"}')],
    ]));

  it("reads nothing from an empty file", () => check("\n\n", csv, []));

  const bad: readonly [name: string, bytes: string | Buffer, options: DelimitedOptions, expected: RegExp][] =
    [
      [
        "a quote that is not closed",
        'a,b\n1,2\n3,"4\n5,6\n',
        csv,
        /line 3 of a.csv opens a quote that is not closed/,
      ],
      [
        "a long line",
        `a\tb\n1\t${"x".repeat(2000)}\n`,
        { ...tsv, maxRecordLength: 1000 },
        /line 2 of a.tsv is longer than 1,000 bytes/,
      ],
      [
        "a quote that swallows too much",
        `a,b\n1,"${"x\n".repeat(2000)}`,
        { ...csv, maxRecordLength: 1000 },
        /line 2 of a.csv is longer/,
      ],
      ["invalid UTF-8", Buffer.from("a,é\n1,\xff\n", "latin1"), csv, /a.csv is not valid UTF-8 at byte 2/],
      ["a truncated character", Buffer.from("a\n☃").subarray(0, 4), csv, /not valid UTF-8 at byte 2/],
    ];
  for (const [name, bytes, options, expected] of bad)
    it(`refuses ${name}`, async () => {
      for (const piece of [Infinity, 1])
        assert.match(await refusal(() => read(bytes, options, piece)), expected);
    });

  it("gives back what was written", () =>
    fc.assert(
      fc.asyncProperty(
        fc.array(
          fc.tuple(fc.string({ unit: "grapheme" }), fc.constantFrom("", "1", 'a"b', "x,y", "l\nm", '"')),
          { maxLength: 20 },
        ),
        fc.nat(20),
        async (rows, piece) => {
          const quote = (t: string): string => `"${t.replaceAll('"', '""')}"`;
          const bytes = `a,b\n${rows.map((row) => `${row.map(quote).join(",")}\n`).join("")}`;
          const items = await read(bytes, csv, piece + 1);
          assert.deepEqual(
            items.slice(1).map((i) => i.type === "row" && [i.values["a"], i.values["b"]]),
            rows,
          );
          for (const item of items.slice(1)) {
            const before = bytes
              .split("\n")
              .slice(0, item.line - 1)
              .join("\n");
            assert.equal((before.match(/"/g) ?? []).length % 2, 0);
          }
        },
      ),
      { numRuns: fuzzRuns() },
    ));

  it("reads or refuses any bytes", () =>
    fc.assert(
      fc.asyncProperty(
        fc.array(fc.oneof(fc.nat(255), fc.constantFrom(...Buffer.from('"",\n\r\t'))), { maxLength: 100 }),
        fc.constantFrom<DelimitedOptions>(csv, tsv),
        async (bytes, options) => {
          await readsOrRefuses(() => read(Buffer.from(bytes), options, 7));
        },
      ),
      { numRuns: fuzzRuns() },
    ));

  it("reads every line of the real result tables", async function () {
    const files = fixtures("lineage_autoresearch", "results.tsv");
    if (files.length === 0) skipBecause(this, noFixtures);
    assert.equal(files.length, 4);
    for (const name of files) {
      const lines = readFileSync(name, "utf8").split(/\r?\n/);
      const seen: number[] = [];
      let columns: readonly string[] = [];
      for await (const item of readDelimited(fileBytes(name), { ...tsv, name })) {
        seen.push(item.line);
        const text = lines[item.line - 1];
        if (item.type === "header") columns = item.columns;
        if (item.type === "row") assert.equal(columns.map((c) => item.values[c]).join("\t"), text);
        if (item.type === "problem") assert.equal(item.fields.join("\t"), text);
      }
      assert.deepEqual(
        seen,
        lines.flatMap((line, i) => (line.trim() === "" ? [] : [i + 1])),
        name,
      );
    }
    const bytes = readFileSync(files[0] ?? "");
    await fc.assert(
      fc.asyncProperty(mutated(bytes), fc.boolean(), async (damaged, quoted) => {
        await readsOrRefuses(() => read(damaged, { ...tsv, quoted }));
      }),
      { numRuns: fuzzRuns(50) },
    );
  });
});
