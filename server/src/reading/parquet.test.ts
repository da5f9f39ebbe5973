import assert from "node:assert/strict";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { fuzzRuns } from "../../../test/support/base/fuzz.ts";
import { loadDuckDb } from "../base/loadDuckDb.ts";
import { openParquet, openSealed, type ParquetRow } from "./parquet.ts";
import { mutated, readsOrRefuses, refusal, tempFolder } from "../../../test/support/reading/readers.ts";

async function run(...statements: readonly string[]): Promise<void> {
  const instance = await loadDuckDb().DuckDBInstance.create(":memory:", { threads: "1" });
  const connection = await instance.connect();
  for (const statement of statements) await connection.run(statement);
  connection.closeSync();
  instance.closeSync();
}

async function rowsOf(path: string, columns?: readonly string[]): Promise<ParquetRow[]> {
  const file = await openParquet(path);
  try {
    const all: ParquetRow[] = [];
    for await (const page of file.pages(columns)) {
      assert.ok(page.length > 0 && page.length <= 2048);
      all.push(...page);
    }
    return all;
  } finally {
    await file.close();
  }
}

describe("parquet reader", () => {
  const folder = tempFolder();
  const write = async (name: string, select: string, options = ""): Promise<string> => {
    const path = join(folder.path, name);
    await run(`COPY (${select}) TO '${path.replaceAll("'", "''")}' (FORMAT parquet${options})`);
    return path;
  };

  it("reads the columns of TRL's completions, and keeps NaN different from null", async () => {
    const path = await write(
      "completions_00005.parquet",
      `SELECT 5::BIGINT AS step, 'p' || i AS prompt, 'ü☃' AS completion,
              CASE i WHEN 0 THEN 'NaN'::DOUBLE WHEN 1 THEN NULL ELSE 0.1 END AS accuracy, -0.5::DOUBLE AS advantage
       FROM range(3) t(i)`,
    );
    const file = await openParquet(path);
    assert.deepEqual(file.columns, [
      { name: "step", type: "BIGINT" },
      { name: "prompt", type: "VARCHAR" },
      { name: "completion", type: "VARCHAR" },
      { name: "accuracy", type: "DOUBLE" },
      { name: "advantage", type: "DOUBLE" },
    ]);
    assert.equal(file.rowCount, 3);
    await file.close();
    const row = { step: 5, completion: "ü☃", advantage: -0.5 };
    assert.deepEqual(await rowsOf(path), [
      { ...row, prompt: "p0", accuracy: NaN },
      { ...row, prompt: "p1", accuracy: null },
      { ...row, prompt: "p2", accuracy: 0.1 },
    ]);
    assert.deepEqual(await rowsOf(path, ["advantage", "step"]), Array(3).fill({ advantage: -0.5, step: 5 }));
  });

  it("reads values of every kind", async () => {
    const values: readonly [sql: string, expected: unknown][] = [
      ["true", true],
      ["(2::BIGINT ** 53 - 1)::BIGINT", 2 ** 53 - 1],
      ["9007199254740993::BIGINT", 9007199254740993n],
      ["18446744073709551615::UBIGINT", 18446744073709551615n],
      ["'-inf'::DOUBLE", -Infinity],
      ["1.5::FLOAT", 1.5],
      ["1.25::DECIMAL(10,2)", 1.25],
      ["'ab'::BLOB", Buffer.from("ab")],
      ["DATE '2020-02-02'", "2020-02-02T00:00:00.000Z"],
      ["TIMESTAMP '2020-01-01 10:00:00.5'", "2020-01-01T10:00:00.500Z"],
      ["TIMESTAMPTZ '2020-01-01 00:00:00+02'", "2019-12-31T22:00:00.000Z"],
      ["TIME '10:00'", "10:00:00"],
      ["'c0ffee00-0000-4000-8000-000000000000'::UUID", "c0ffee00-0000-4000-8000-000000000000"],
      ["[1, NULL, 9007199254740993]::BIGINT[]", [1, null, 9007199254740993n]],
      ["[]::DOUBLE[]", []],
      [
        "[{'role': 'user', 'content': 'a', 'when': DATE '2020-01-01'}, {'role': 'tool', 'content': NULL, 'when': NULL}]",
        [
          { role: "user", content: "a", when: "2020-01-01T00:00:00.000Z" },
          { role: "tool", content: null, when: null },
        ],
      ],
      ["MAP {'a': [1], 'b': []}", { a: [1], b: [] }],
      ["[{'key': 'k', 'value': 1}]", [{ key: "k", value: 1 }]],
    ];
    const path = await write(
      "kinds.parquet",
      `SELECT ${values.map(([sql], i) => `${sql} AS c${i}`).join(", ")}`,
    );
    const [row] = await rowsOf(path);
    for (const [i, [sql, expected]] of values.entries()) assert.deepEqual(row?.[`c${i}`], expected, sql);
  });

  it("reads many rows in pages, in order", async () => {
    const path = await write("many.parquet", "SELECT i FROM range(100000) t(i)", ", ROW_GROUP_SIZE 5000");
    const rows = await rowsOf(path);
    assert.equal(rows.length, 100_000);
    assert.ok(rows.every((row, i) => row["i"] === i));
  });

  it("reads files with odd names, and never another file in their place", async () => {
    // It is what the first name would stand for as a pattern.
    await write("a 1bc.parquet", "SELECT 2 AS a");
    for (const name of ["a [1]*?.parquet", "it's.parquet", "{a,b}.parquet"]) {
      const path = await write("odd.parquet", "SELECT 1 AS a");
      const odd = join(folder.path, name);
      writeFileSync(odd, readFileSync(path));
      assert.deepEqual(await rowsOf(odd), [{ a: 1 }], name);
    }
  });

  it("cannot read any other file", async () => {
    const path = await write("mine.parquet", "SELECT 1 AS a");
    const other = await write("other.parquet", "SELECT 2 AS a");
    const { instance, connection } = await openSealed(path, 256);
    const count = await connection.runAndReadAll(`SELECT a FROM read_parquet('${path}')`);
    assert.deepEqual(count.getRowsJS(), [[1]]);
    for (const statement of [
      `SELECT * FROM read_parquet('${other}')`,
      `SELECT * FROM read_parquet('${folder.path}/*.parquet')`,
      `SELECT * FROM read_parquet(['${path}', '${other}'])`,
      `SELECT * FROM read_text('${folder.path}/../${folder.path}/other.parquet')`,
      `SELECT * FROM glob('${folder.path}/*')`,
      `COPY (SELECT 1) TO '${folder.path}/new.parquet'`,
      `COPY (SELECT 1) TO '${path}'`,
      `ATTACH '${folder.path}/new.db'`,
      "LOAD httpfs",
    ])
      await assert.rejects(connection.run(statement), /Permission Error/, statement);
    await assert.rejects(connection.run("SET enable_external_access = true"), /locked/);
    await assert.rejects(connection.run(`SET allowed_paths = ['${other}']`), /locked|Cannot change/);
    connection.closeSync();
    instance.closeSync();
    for (const name of [`a" FROM read_parquet('${other}') --`, "b"])
      assert.match(await refusal(() => rowsOf(path, [name])), /has no column .* it has: a\./);
  });

  it("refuses a file that is not parquet, or that is incomplete", async () => {
    const whole = readFileSync(
      await write("whole.parquet", "SELECT i, 'text ' || i AS t FROM range(1000) t(i)"),
    );
    const cases: readonly [bytes: Buffer, expected: RegExp][] = [
      [Buffer.alloc(0), /does not begin with PAR1/],
      [Buffer.from("step,prompt\n1,hello\n"), /does not begin with PAR1/],
      [whole.subarray(0, -100), /does not end with PAR1: it is cut off, or still being written/],
      [Buffer.concat([whole.subarray(0, -4), Buffer.from("PARE")]), /footer is encrypted/],
      [
        Buffer.concat([whole.subarray(0, -8), Buffer.from("\xff\xff\xff\x7fPAR1", "latin1")]),
        /longer than the file/,
      ],
      [
        Buffer.concat([whole.subarray(0, 100), Buffer.alloc(50), whole.subarray(-300)]),
        /not a readable parquet file/,
      ],
    ];
    for (const [bytes, expected] of cases)
      assert.match(await refusal(() => rowsOf(folder.write("bad.parquet", bytes))), expected);
    await assert.rejects(openParquet(join(folder.path, "none.parquet")), /There is no file/);
  });

  for (const codec of ["snappy", "zstd", "uncompressed"])
    it(`reads or refuses damaged files (${codec})`, async () => {
      const select =
        "SELECT i, 'text ' || i % 7 AS t, [i, NULL] AS l, {'a': i / 3, 'b': [{'c': 'x'}]} AS s FROM range(200) t(i)";
      const bytes = readFileSync(await write("fuzz.parquet", select, `, COMPRESSION ${codec}`));
      const footer = bytes.readUInt32LE(bytes.length - 8);
      const data = bytes.subarray(0, -8 - footer);
      const withFooter = mutated(bytes.subarray(data.length, -8)).map((changed) => {
        const end = Buffer.from("____PAR1");
        end.writeUInt32LE(changed.length);
        return Buffer.concat([data, changed, end]);
      });
      await fc.assert(
        fc.asyncProperty(fc.oneof(mutated(bytes), withFooter), async (damaged) => {
          await readsOrRefuses(() => rowsOf(folder.write("damaged.parquet", damaged)));
        }),
        { numRuns: fuzzRuns(40) },
      );
    });
});
