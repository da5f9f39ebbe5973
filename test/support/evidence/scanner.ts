import assert from "node:assert/strict";
import { isUtf8 } from "node:buffer";
import {
  BIGINT,
  BOOLEAN,
  DOUBLE,
  DuckDBDataChunk,
  DuckDBMapValue,
  ENUM,
  MAP,
  VARCHAR,
  type DuckDBValue,
} from "@duckdb/node-api";
import { loadBindings } from "../../../server/src/base/loadDuckDb.ts";
import { choices } from "../../../server/src/evidence/contract/choices.ts";
import type { Line } from "../../../server/src/evidence/contract/lines.ts";
import { LineScanner, stops } from "../../../server/src/evidence/scan/lineScanner.ts";
import { parseRollout } from "../../../server/src/evidence/contract/parse.ts";
import { rolloutRow, turnRow } from "../../../server/src/evidence/ingest/recordRows.ts";
import { moveRollouts, moveTurns } from "../../../server/src/evidence/scan/scannedChunk.ts";
import type { Source } from "../../../server/src/evidence/store/sources.ts";

const source: Source = {
  source: 3n,
  path: "a.jsonl",
  run: null,
  version: "a version of more than 12 bytes",
  kind: "rollouts",
  consumed: 0,
  lines: 0,
  fingerprint: "",
};
const at = { rid: 7, line: 11 };

/** What a column returns for a cell that was put into it: text after a trip through UTF-8, whole numbers as BigInt. */
function stored(cell: unknown, index: number, integers: readonly number[]): unknown {
  if (typeof cell === "string") return Buffer.from(cell).toString();
  if (typeof cell === "number" && integers.includes(index)) return BigInt(cell);
  return typeof cell === "object" && cell !== null
    ? Object.entries(cell).map(([k, v]): unknown[] => [Buffer.from(k).toString(), v])
    : cell;
}

const [V, I, D, M] = [VARCHAR, BIGINT, DOUBLE, MAP(VARCHAR, DOUBLE)];
const [S, O] = [ENUM(choices.split), ENUM(choices.outcome)];
const rolloutTypes = [I, I, I, V, V, V, S, I, V, V, I, O, V, D, M, V, I, D, V, V, I, V, D, V];
const turnTypes = [I, I, V, V, V, V, BOOLEAN, I, D];
const integersOf = (types: readonly unknown[]): number[] =>
  types.flatMap((type, i) => (type === I ? [i] : []));
const [rolloutIntegers, turnIntegers] = [integersOf(rolloutTypes), integersOf(turnTypes)];

const read = (cell: DuckDBValue): unknown =>
  cell instanceof DuckDBMapValue ? cell.entries.map(({ key, value }) => [key, value]) : cell;

const made = LineScanner.make();
if (made === undefined) throw new Error("This runtime has no WebAssembly with SIMD.");
/** The scanner of all tests. */
export const scanner = made;
scanner.setSource(source.source, source.version);

/** The rows of rollouts and turns that the scanner has made. */
export function taken(): { readonly rollouts: unknown[][]; readonly turns: unknown[][] } {
  const bindings = loadBindings();
  const [rollouts, turns] = [DuckDBDataChunk.create(rolloutTypes), DuckDBDataChunk.create(turnTypes)];
  rollouts.rowCount = scanner.rollouts;
  turns.rowCount = scanner.turns;
  moveRollouts(bindings, scanner, rollouts);
  moveTurns(bindings, scanner, turns);
  return {
    rollouts: rollouts.getRows().map((row) => row.map(read)),
    turns: turns.getRows().map((row) => row.map(read)),
  };
}

/** Scans the lines in a block, and returns why it stopped. The first line decides which run is expected. */
export function scan(text: string | Buffer, from = at, lines = Infinity, isText = true): number {
  const bytes = Buffer.from(text);
  scanner.block.set(bytes);
  const { byteOffset } = scanner.block;
  scanner.setRun("");
  for (let place = byteOffset; ;) {
    const before = scanner.rollouts;
    const stop = scanner.scan(place, byteOffset + bytes.length, {
      lines,
      rid: from.rid + before,
      line: from.line + before,
      isText,
    });
    if (stop !== stops.run || !scanner.setRun(scanner.nextRun)) return stop;
    place = scanner.position;
  }
}

/** Compares the scanner with the parser on one line; returns whether the scanner read the line. */
export function check(text: string | Buffer, end = "\n"): boolean {
  const bytes = Buffer.from(text);
  // In blocks that are not UTF-8, only ASCII lines are scanned.
  const isText = isUtf8(bytes);
  if (bytes.includes(0x0a)) return false;
  const stop = scan(Buffer.concat([bytes, Buffer.from(end)]), at, Infinity, isText);
  if (stop !== stops.done) {
    assert.deepEqual([stop, scanner.rollouts, scanner.turns], [stops.other, 0, 0]);
    return false;
  }
  const line: Line = { start: 9, end: 9 + bytes.length, bytes, tooLong: false, complete: true };
  const parsed = parseRollout(line);
  if (parsed.type !== "record") assert.fail(`the parser does not take ${bytes.toString()}`);
  const { record } = parsed;
  const row = rolloutRow({ ...at, source }, record).map((cell, i) => stored(cell, i, rolloutIntegers));
  const turns = record.turns.map((turn, i) =>
    turnRow(at.rid, i, turn).map((cell, column) => stored(cell, column, turnIntegers)),
  );
  assert.deepEqual(taken(), { rollouts: [row], turns }, bytes.toString());
  return true;
}
