import assert from "node:assert/strict";
import {
  BIGINT,
  BOOLEAN,
  DOUBLE,
  DuckDBDataChunk,
  DuckDBInstance,
  ENUM,
  MAP,
  VARCHAR,
} from "@duckdb/node-api";
import { seededRandom } from "../../base/random.ts";
import { makeColumn } from "./columns.ts";
import { loadBindings, loadDuckDb } from "../../base/loadDuckDb.ts";
import { chunkRows, type Cell } from "../scan/nativeValues.ts";

const types = [VARCHAR, BIGINT, DOUBLE, BOOLEAN, MAP(VARCHAR, DOUBLE), ENUM(["no", "yes"])] as const;
const texts = [
  "",
  "a",
  "twelve chars",
  "thirteen char",
  "é",
  "naïve",
  "a\0b",
  "a\0".repeat(20),
  "🙂",
  "x".repeat(70_000),
];
const numbers = [0, -1, 1, 2 ** 31, -(2 ** 33), Number.MAX_SAFE_INTEGER, Number.MIN_SAFE_INTEGER];

/** Writes the rows in chunks as an ingest does, with chunks and columns used again, and reads them back. */
async function roundTrip(rows: readonly (readonly Cell[])[]): Promise<unknown[][]> {
  const connection = await (await DuckDBInstance.create(":memory:")).connect();
  await connection.run(
    "CREATE TABLE t (a VARCHAR, b BIGINT, c DOUBLE, d BOOLEAN, e MAP(VARCHAR, DOUBLE), f ENUM('no', 'yes'))",
  );
  const columns = types.map((type) => makeColumn(loadDuckDb(), loadBindings(), type));
  const appender = await connection.createAppender("t");
  const chunk = DuckDBDataChunk.create(types);
  for (let from = 0; from < rows.length; from += chunkRows) {
    const part = rows.slice(from, from + chunkRows);
    for (const row of part) row.forEach((cell, i) => columns[i]?.add(cell));
    chunk.reset();
    chunk.rowCount = part.length;
    columns.forEach((column, i) => {
      column.moveTo(chunk, i);
    });
    appender.appendDataChunk(chunk);
  }
  appender.closeSync();
  const read = await connection.runAndReadAll("SELECT a, b, c, d, map_entries(e), f FROM t ORDER BY rowid");
  return read.getRowsJS();
}

const asRead = (row: readonly Cell[]): unknown[] =>
  row.map((cell, i) => {
    if (i === 1 && typeof cell === "number") return BigInt(cell);
    if (i === 4 && cell !== null)
      return Object.entries(cell).map(([key, value]: [string, unknown]) => ({ key, value }));
    return cell;
  });

describe("a column", () => {
  it("returns every value of every type unchanged, in reused chunks", async () => {
    const random = seededRandom(7);
    const pick = <T>(of: readonly T[]): T | null =>
      random() < 0.2 ? null : (of[Math.floor(random() * of.length)] ?? null);
    const rows = Array.from({ length: 2 * chunkRows + 77 }, (_, i): Cell[] => [
      // Rows without nulls come last, to show that a chunk forgets those of the one before.
      i >= 2 * chunkRows
        ? "plain"
        : pick(texts.map((text) => (text.length > 100 && random() < 0.9 ? "y" : text))),
      i >= 2 * chunkRows ? i : pick(numbers),
      i >= 2 * chunkRows ? i / 3 : pick([0.1, -1e300, 5e-324, ...numbers]),
      i >= 2 * chunkRows ? i % 2 === 0 : pick([true, false]),
      pick([{}, { tests: 0.5 }, { tests: 1, "a name longer than a slot": -2, ü: 3 }]),
      i >= 2 * chunkRows ? "yes" : pick(["no", "yes"]),
    ]);
    const read = await roundTrip(rows);
    assert.equal(read.length, rows.length);
    rows.forEach((row, i) => {
      assert.deepEqual(read[i], asRead(row), `row ${i}`);
    });
  });

  it("can have more map pairs than rows", async () => {
    const wide = Object.fromEntries(Array.from({ length: 3 * chunkRows }, (_, i) => [`part-${i}`, i]));
    const rows = [["a", 1, 1, true, wide, "yes"] as Cell[], ["b", 2, 2, false, { one: 1 }, null] as Cell[]];
    assert.deepEqual(await roundTrip(rows), rows.map(asRead));
  });

  it("treats equal short texts as equal, whoever laid them out", async () => {
    const [text, index] = [makeColumn(loadDuckDb(), loadBindings(), VARCHAR), 0];
    const chunk = DuckDBDataChunk.create([VARCHAR]);
    const connection = await (await DuckDBInstance.create(":memory:")).connect();
    await connection.run("CREATE TABLE t (a VARCHAR)");
    const appender = await connection.createAppender("t");
    for (const value of ["long enough!", "ab"]) {
      text.add(value);
      chunk.reset();
      chunk.rowCount = 1;
      text.moveTo(chunk, index);
      appender.appendDataChunk(chunk);
    }
    appender.closeSync();
    const read = await connection.runAndReadAll("SELECT count(*)::INTEGER FROM t WHERE a = 'ab' GROUP BY a");
    assert.deepEqual(read.getRows(), [[1]]);
  });

  it("refuses a value of the wrong type", () => {
    const text = makeColumn(loadDuckDb(), loadBindings(), VARCHAR);
    assert.throws(() => {
      text.add(1);
    }, /A text column got a number/);
    const choice = makeColumn(loadDuckDb(), loadBindings(), ENUM(["no", "yes"]));
    assert.throws(() => {
      choice.add("perhaps");
    }, /A column of choices got "perhaps"/);
  });
});
