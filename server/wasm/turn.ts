// One turn of a rollout.
import { pass, passByte } from "./spaces";
import { Turns, column, setValid } from "./layout";
import { TurnKeys, found, readWord } from "./keys";
import { readCount, readNumber, value } from "./number";
import { readObject } from "./object";
import { putNoText, readRepeated, readText } from "./text";

const required: i32 = 3;

/** Reads a turn into a row; answers the place behind it, or 0. */
export function readTurn(from: usize, row: i32, rid: i64, idx: i32): usize {
  const wide = (<usize>row) << 3;
  store<i64>(column(Turns.rid).data + wide, rid);
  store<i64>(column(Turns.idx).data + wide, idx);
  putNoText(column(Turns.tool), row);
  putNoText(column(Turns.args), row);
  setValid(column(Turns.ok), row, false);
  setValid(column(Turns.tokens), row, false);
  setValid(column(Turns.ms), row, false);
  let at = passByte(from, 0x7b);
  if (at == 0) return 0;
  let seen: i32 = 0;
  let hint: i32 = 0;
  while (true) {
    at = readWord(pass(at), TurnKeys.first, TurnKeys.count, hint);
    if (at == 0) return 0;
    const field = found;
    if ((seen & (1 << field)) != 0) return 0;
    seen |= 1 << field;
    at = passByte(at, 0x3a);
    if (at == 0) return 0;
    at = readField(pass(at), field, row);
    if (at == 0) return 0;
    hint = field + 1;
    at = pass(at);
    const byte = load<u8>(at++);
    if (byte == 0x7d) return (seen & required) == required ? at : 0;
    if (byte != 0x2c) return 0;
  }
}

function readField(at: usize, field: i32, row: i32): usize {
  const wide = (<usize>row) << 3;
  switch (field) {
    case 0:
      return readText(at, column(Turns.role), row);
    case 1:
      return readText(at, column(Turns.text), row);
    case 2:
      setValid(column(Turns.tool), row, true);
      return readRepeated(at, column(Turns.tool), row);
    case 3:
      setValid(column(Turns.args), row, true);
      return readObject(at, column(Turns.args), row, false);
    case 4: {
      const isTrue = load<u32>(at) == 0x65757274;
      if (!isTrue && (load<u32>(at) != 0x736c6166 || load<u8>(at, 4) != 0x65)) return 0;
      setValid(column(Turns.ok), row, true);
      store<u8>(column(Turns.ok).data + row, isTrue ? 1 : 0);
      return at + (isTrue ? 4 : 5);
    }
    case 5: {
      const next = readCount(at);
      setValid(column(Turns.tokens), row, true);
      store<i64>(column(Turns.tokens).data + wide, <i64>value);
      return next;
    }
    default: {
      const next = readNumber(at);
      setValid(column(Turns.ms), row, true);
      store<f64>(column(Turns.ms).data + wide, value);
      return value >= 0 ? next : 0;
    }
  }
}
