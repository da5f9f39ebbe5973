// One rollout of the contract. Only what is in it beyond doubt is taken; any other line is for the parser in JavaScript.
import { Pairs, Rollouts, chunkPairs, chunkRows, column, mostPairs, setValid } from "./layout";
import { Outcomes, RolloutKeys, Splits, found, readWord } from "./keys";
import { isWhole, readCount, readNumber, value } from "./number";
import { readObject } from "./object";
import { pass, passByte } from "./spaces";
import { putNoText, readName, readPlainName, readRepeated } from "./text";
import { readTurn } from "./turn";

const unknownReason: i32 = 1 << 8;
const required: i32 = (1 << 21) - 1 - unknownReason - (1 << 14);
const unknown: i32 = 2;

/** Rows of the turns and pairs of the components, with those of the line that is being read. */
export let turnRows: i32 = 0;
export let pairRows: i32 = 0;

export function setRows(turns: i32, pairs: i32): void {
  turnRows = turns;
  pairRows = pairs;
}

/** True when a line was given up because the chunk has no room for its turns. */
export let isCrowded: bool = false;

/** Reads a line from its first byte; answers the place behind its last bracket, or 0. */
export function readRollout(from: usize, row: i32, rid: i64): usize {
  isCrowded = false;
  if (load<u8>(from) != 0x7b) return 0;
  putNoText(column(Rollouts.unknownReason), row);
  setValid(column(Rollouts.logprobMean), row, false);
  let at = from + 1;
  let seen: i32 = 0;
  let hint: i32 = 0;
  let outcome: i32 = 0;
  while (true) {
    at = readWord(pass(at), RolloutKeys.first, RolloutKeys.count, hint);
    if (at == 0) return 0;
    const field = found;
    if ((seen & (1 << field)) != 0) return 0;
    seen |= 1 << field;
    at = passByte(at, 0x3a);
    if (at == 0) return 0;
    at = field < 13 ? readResult(pass(at), field, row, rid) : readOrigin(pass(at), field, row);
    if (at == 0) return 0;
    if (field == 7) outcome = found;
    hint = field + 1;
    at = pass(at);
    const byte = load<u8>(at++);
    if (byte == 0x7d) break;
    if (byte != 0x2c) return 0;
  }
  return (seen & required) == required && (outcome != unknown || (seen & unknownReason) != 0) ? at : 0;
}

function readResult(at: usize, field: i32, row: i32, rid: i64): usize {
  switch (field) {
    case 0:
      return readPlainName(at, column(Rollouts.id), row);
    case 1:
      return readPlainName(at, column(Rollouts.run), row);
    case 2:
      return readChoice(at, Rollouts.split, row, Splits.first, Splits.count);
    case 3:
      return readInteger(at, Rollouts.step, row, true);
    case 4:
      return readName(at, column(Rollouts.item), row);
    case 5:
      return readName(at, column(Rollouts.group), row);
    case 6:
      return readInteger(at, Rollouts.sample, row, true);
    case 7:
      return readChoice(at, Rollouts.outcome, row, Outcomes.first, Outcomes.count);
    case 8:
      setValid(column(Rollouts.unknownReason), row, true);
      return readName(at, column(Rollouts.unknownReason), row);
    case 9: {
      const next = readNull(at, Rollouts.reward, row);
      return next != 0 ? next : readDouble(at, Rollouts.reward, row);
    }
    case 10:
      return readComponents(at, row);
    case 11: {
      const next = readNoText(at, Rollouts.stopReason, row);
      return next != 0 ? next : readName(at, column(Rollouts.stopReason), row);
    }
    default:
      return readTurns(at, rid);
  }
}

function readOrigin(at: usize, field: i32, row: i32): usize {
  switch (field) {
    case 13: {
      const next = readNull(at, Rollouts.tokens, row);
      return next != 0 ? next : readInteger(at, Rollouts.tokens, row, true);
    }
    case 14:
      setValid(column(Rollouts.logprobMean), row, true);
      return readDouble(at, Rollouts.logprobMean, row);
    case 15:
      return readTextOrNull(at, Rollouts.policy, row);
    case 16:
      return readTextOrNull(at, Rollouts.harness, row);
    case 17: {
      const next = readNull(at, Rollouts.seed, row);
      return next != 0 ? next : readInteger(at, Rollouts.seed, row, false);
    }
    case 18:
      return readTextOrNull(at, Rollouts.startedAt, row);
    case 19: {
      const next = readNull(at, Rollouts.durationMs, row);
      if (next != 0) return next;
      const end = readDouble(at, Rollouts.durationMs, row);
      return value >= 0 ? end : 0;
    }
    default:
      return readObject(at, column(Rollouts.extra), row, true);
  }
}

/** Passes a null and notes it, or notes that the row has a value and answers 0. */
function readNull(at: usize, index: i32, row: i32): usize {
  const isNull = load<u32>(at) == 0x6c6c756e;
  setValid(column(index), row, !isNull);
  return isNull ? at + 4 : 0;
}

function readNoText(at: usize, index: i32, row: i32): usize {
  const next = readNull(at, index, row);
  if (next != 0) putNoText(column(index), row);
  return next;
}

function readTextOrNull(at: usize, index: i32, row: i32): usize {
  const next = readNoText(at, index, row);
  return next != 0 ? next : readRepeated(at, column(index), row);
}

function readDouble(at: usize, index: i32, row: i32): usize {
  const next = readNumber(at);
  store<f64>(column(index).data + ((<usize>row) << 3), value);
  return next;
}

function readInteger(at: usize, index: i32, row: i32, isCount: bool): usize {
  const next = isCount ? readCount(at) : readNumber(at);
  if (next == 0 || !isWhole()) return 0;
  store<i64>(column(index).data + ((<usize>row) << 3), <i64>value);
  return next;
}

/** One of the words of a closed set; all of them are short. */
function readChoice(at: usize, index: i32, row: i32, first: i32, count: i32): usize {
  const next = readWord(at, first, count, 0);
  store<u8>(column(index).data + <usize>row, <u8>found);
  return next;
}

/** Names that an object would put in another order, or take for something else, are not for this reader. */
function readComponents(from: usize, row: i32): usize {
  const span = column(Rollouts.components).data + ((<usize>row) << 4);
  const first = pairRows;
  let at = passByte(from, 0x7b);
  if (at == 0) return 0;
  store<i64>(span, first);
  store<i64>(span, 0, 8);
  const none = passByte(at, 0x7d);
  if (none != 0) return none;
  const names = column(Pairs.names);
  const values = column(Pairs.values);
  while (true) {
    const pair = pairRows;
    if (pair - first == mostPairs || pair == chunkPairs) return 0;
    at = pass(at);
    const start = load<u8>(at, 1);
    if (start == 0x5f || <u32>start - 0x30 < 10) return 0;
    at = readPlainName(at, names, pair);
    if (at == 0 || isNamed(first, pair)) return 0;
    at = passByte(at, 0x3a);
    if (at == 0) return 0;
    at = readNumber(pass(at));
    if (at == 0) return 0;
    store<f64>(values.data + ((<usize>pair) << 3), value);
    pairRows = pair + 1;
    at = pass(at);
    const byte = load<u8>(at++);
    if (byte == 0x7d) break;
    if (byte != 0x2c) return 0;
  }
  store<i64>(span, pairRows - first, 8);
  return at;
}

/** Whether a pair of the row before this one has its name. */
function isNamed(first: i32, pair: i32): bool {
  const names = column(Pairs.names);
  const slot = names.data + ((<usize>pair) << 4);
  const length = load<u32>(slot);
  for (let i = first; i < pair; i++) {
    const other = names.data + ((<usize>i) << 4);
    if (load<u64>(other) != load<u64>(slot)) continue;
    if (load<u64>(other, 8) == load<u64>(slot, 8)) return true;
    if (
      length > 12 &&
      memory.compare(
        names.heap + <usize>load<u64>(other, 8),
        names.heap + <usize>load<u64>(slot, 8),
        length,
      ) == 0
    )
      return true;
  }
  return false;
}

function readTurns(from: usize, rid: i64): usize {
  let at = passByte(from, 0x5b);
  if (at == 0) return 0;
  const none = passByte(at, 0x5d);
  if (none != 0) return none;
  for (let idx: i32 = 0; turnRows < chunkRows; idx++) {
    at = readTurn(at, turnRows, rid, idx);
    if (at == 0) return 0;
    turnRows++;
    at = pass(at);
    const byte = load<u8>(at++);
    if (byte == 0x5d) return at;
    if (byte != 0x2c) return 0;
  }
  isCrowded = true;
  return 0;
}
