// Reads lines of rollouts into columns as the engine lays them out: src/evidence/lineScanner.ts is the other side.
import {
  Column,
  Rollouts,
  block,
  blockBytes,
  chunkPairs,
  chunkRows,
  clearTexts,
  column,
  columnCount,
  dropTexts,
  isFull,
  keepTexts,
  layOut,
  mostPairs,
  pairs,
  turns,
} from "./layout";
import { initKeys } from "./keys";
import { initNumbers, powers } from "./number";
import { isCrowded, pairRows, readRollout, setRows, turnRows } from "./rollout";
import { initText, putSlot } from "./text";

/** Why `scan` came back. */
namespace Stop {
  /** So many lines were read, or all of them. */
  export const done: i32 = 0;
  /** The line at `position` is for another reader. */
  export const other: i32 = 1;
  /** The line at `position` is of another run than `run`; its name is in the row behind the last one. */
  export const run: i32 = 2;
  /** The rollouts, or the turns, have to be taken before the line at `position` is read. */
  export const rollouts: i32 = 3;
  export const turns: i32 = 4;
}

const mostNameBytes: usize = 4096;
const run: usize = memory.data(4096);
const version: usize = memory.data(4096);
let runBytes: u32 = 0;
let versionBytes: u32 = 0;
let source: i64 = 0;

let place: usize = 0;
let rolloutRows: i32 = 0;
/** Those of finished lines. */
let keptTurns: i32 = 0;
let keptPairs: i32 = 0;

export function init(): void {
  initKeys();
  initText();
  initNumbers();
  layOut();
}

export function blockAt(): usize {
  return block;
}

export function blockSize(): usize {
  return blockBytes;
}

export function powersAt(): usize {
  return powers;
}

export function columnAt(index: i32): usize {
  return changetype<usize>(column(index));
}

export function nameSize(): usize {
  return mostNameBytes;
}

/** Where the name of the run, and the version, are to be put before `setRun` and `setSource`. */
export function runAt(): usize {
  return run;
}

export function versionAt(): usize {
  return version;
}

export function setRun(bytes: u32): void {
  runBytes = bytes;
}

export function setSource(number: i64, bytes: u32): void {
  source = number;
  versionBytes = bytes;
}

export function position(): usize {
  return place;
}

export function rollouts(): i32 {
  return rolloutRows;
}

export function turnsOfRollouts(): i32 {
  return keptTurns;
}

export function pairsOfRollouts(): i32 {
  return keptPairs;
}

/** Forgets the rollouts of the chunk. */
export function clearRollouts(): void {
  rolloutRows = keptPairs = 0;
  clearTexts(0, turns);
  clearTexts(pairs, columnCount);
}

/** Forgets the turns of the chunk. */
export function clearTurns(): void {
  keptTurns = 0;
  clearTexts(turns, pairs);
}

/**
 * Reads whole lines from `from` to `to`, where a line ends, at most so many; `rid` and `line` are the first one's.
 * @param isText whether all of the block is UTF-8; if not, lines that are not ASCII are for another reader
 */
export function scan(from: usize, to: usize, lines: i32, rid: i64, line: i64, isText: bool): i32 {
  place = from;
  for (; place < to && lines > 0; lines--) {
    if (
      rolloutRows == chunkRows ||
      keptPairs + mostPairs > chunkPairs ||
      isFull(0, turns) ||
      isFull(pairs, columnCount)
    )
      return Stop.rollouts;
    if (keptTurns == chunkRows || isFull(turns, pairs)) return Stop.turns;
    setRows(keptTurns, keptPairs);
    const end = endOfLine(readRollout(place, rolloutRows, rid));
    if (end == 0 || !(isText || isAscii(place, end)))
      return drop(isCrowded && keptTurns > 0 ? Stop.turns : Stop.other);
    if (!isOfRun()) return drop(Stop.run);
    putOrigin(rid, line);
    keepTexts();
    rolloutRows++;
    keptTurns = turnRows;
    keptPairs = pairRows;
    place = end;
    rid++;
    line++;
  }
  return Stop.done;
}

function drop(reason: i32): i32 {
  dropTexts();
  return reason;
}

/** The place behind the line end that follows a rollout, 0 when something else does. */
function endOfLine(from: usize): usize {
  let at = from;
  if (at == 0) return 0;
  while (load<u8>(at) == 0x20) at++;
  if (load<u8>(at) == 0x0d) at++;
  return load<u8>(at) == 0x0a ? at + 1 : 0;
}

function isAscii(from: usize, to: usize): bool {
  for (let at = from; at < to; at++) if (load<u8>(at) > 0x7f) return false;
  return true;
}

function isOfRun(): bool {
  const c = column(Rollouts.run);
  const slot = c.data + ((<usize>rolloutRows) << 4);
  const length = load<u32>(slot);
  const name = length <= 12 ? slot + 4 : c.heap + <usize>load<u64>(slot, 8);
  return length == runBytes && memory.compare(name, run, length) == 0;
}

/** The columns that say where the row is from. */
function putOrigin(rid: i64, line: i64): void {
  const wide = (<usize>rolloutRows) << 3;
  store<i64>(column(Rollouts.rid).data + wide, rid);
  store<i64>(column(Rollouts.source).data + wide, source);
  store<i64>(column(Rollouts.line).data + wide, line);
  const c = column(Rollouts.version);
  const slot = c.data + (wide << 1);
  if (rolloutRows > 0) v128.store(slot, v128.load(slot - 16));
  else {
    memory.copy(c.heap + c.end, version, versionBytes);
    putSlot(c, 0, c.heap + c.end + versionBytes, false);
  }
}

/** Whether one of the first rows of a column has no value. */
export function hasNulls(index: i32, rows: i32): bool {
  const c: Column = column(index);
  const whole: usize = <usize>rows >> 3;
  for (let i: usize = 0; i < whole; i++) if (load<u8>(c.valid + i) != 0xff) return true;
  const rest: u32 = (1 << (rows & 7)) - 1;
  return (load<u8>(c.valid + whole) & rest) != rest;
}

/** Makes the places of long texts addresses, when the engine has put the column's heap to `address`. */
export function point(index: i32, rows: i32, address: f64): void {
  const slots = column(index).data;
  const base = <u64>address;
  for (let row: usize = 0; row < <usize>rows; row++) {
    const slot = slots + (row << 4);
    if (load<u32>(slot) > 12) store<u64>(slot, load<u64>(slot, 8) + base, 8);
  }
}
