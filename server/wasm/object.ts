// Objects that are kept as they are written, in the form in which JSON.stringify writes them.
import { Column } from "./layout";
import { pass } from "./spaces";
import { copyText, putSlot, specials } from "./text";

const quote: u8 = 0x22;
const backslash: u8 = 0x5c;

/** Writes the object between two places as JSON.stringify does to a third one, if that is not longer; its bytes, or -1. */
declare function rewrite(from: usize, end: usize, to: usize): i32;

/** The most names of an object that are compared with each other. */
const mostNames: i32 = 8;
/** Begin and end of each. */
const names: usize = memory.data(8 * 8);

/** Reads an object into a row of a column of texts. */
export function readObject(at: usize, c: Column, row: i32, repeats: bool): usize {
  if (load<u8>(at) != 0x7b) return 0;
  const to = c.heap + c.end;
  let next = copyFlat(at, to);
  let end = written;
  if (next == 0) {
    next = endOfObject(at, to);
    if (next == 0) return 0;
    const length = rewrite(at, next, to);
    if (length < 0) return 0;
    end = to + length;
  }
  putSlot(c, row, end, repeats);
  return next;
}

let written: usize = 0;

/**
 * Copies an object without the spaces between its parts, if all else is written as JSON.stringify would: simple values
 * and names that keep their order. 0 for any other.
 */
function copyFlat(from: usize, to: usize): usize {
  let at = pass(from + 1);
  let out = to + 1;
  store<u8>(to, 0x7b);
  if (load<u8>(at) == 0x7d) {
    store<u8>(out, 0x7d);
    written = out + 1;
    return at + 1;
  }
  for (let n: i32 = 0; n < mostNames; n++) {
    const name = at;
    at = copyVerbatim(at, out, false);
    if (at == 0 || isOdd(name + 1, at - 1, n)) return 0;
    out = written;
    at = pass(at);
    if (load<u8>(at) != 0x3a) return 0;
    store<u8>(out++, 0x3a);
    at = copyValue(pass(at + 1), out);
    if (at == 0) return 0;
    out = written;
    at = pass(at);
    const byte = load<u8>(at++);
    store<u8>(out++, byte);
    if (byte == 0x7d) {
      written = out;
      return at;
    }
    if (byte != 0x2c) return 0;
    at = pass(at);
  }
  return 0;
}

/** Names that an object puts in another order, or has already, and those that it may take for something else. */
function isOdd(from: usize, end: usize, n: i32): bool {
  const first: u32 = load<u8>(from);
  if (first - 0x30 < 10 || first == 0x5f) return true;
  const length = <u32>(end - from);
  for (let i: i32 = 0; i < n; i++) {
    const other = load<u32>(names + ((<usize>i) << 3));
    if (load<u32>(names + ((<usize>i) << 3), 4) - other == length && memory.compare(other, from, length) == 0)
      return true;
  }
  store<u32>(names + ((<usize>n) << 3), from);
  store<u32>(names + ((<usize>n) << 3), end, 4);
  return false;
}

function copyValue(from: usize, to: usize): usize {
  const byte = load<u8>(from);
  if (byte == quote) return copyVerbatim(from, to, true);
  const word = load<u32>(from);
  store<u32>(to, word);
  // true, null, and false
  if (word == 0x65757274 || word == 0x6c6c756e) {
    written = to + 4;
    return from + 4;
  }
  if (word == 0x736c6166 && load<u8>(from, 4) == 0x65) {
    store<u8>(to, 0x65, 4);
    written = to + 5;
    return from + 5;
  }
  return copyNumber(from, to);
}

/** Up to 15 digits that are written in one way only. */
function copyNumber(from: usize, to: usize): usize {
  let at = from;
  if (load<u8>(at) == 0x2d) at++;
  const first = at;
  while (<u32>load<u8>(at) - 0x30 < 10) at++;
  const whole = at - first;
  const zero = load<u8>(first) == 0x30;
  if (whole == 0 || whole > 15 || (zero && whole > 1)) return 0;
  if (load<u8>(at) == 0x2e) {
    const point = ++at;
    while (<u32>load<u8>(at) - 0x30 < 10) at++;
    // The last digit counts, and the first that counts is not so far behind that an exponent would be written.
    if (at == point || load<u8>(at - 1) == 0x30 || whole + at - point > 15) return 0;
    if (zero && load<u32>(point) == 0x30303030) return 0;
  } else if (zero && first != from) return 0;
  if ((load<u8>(at) | 0x20) == 0x65) return 0;
  memory.copy(to, from, at - from);
  written = to + (at - from);
  return at;
}

/** Copies a text with its quotes, if its escapes, where it may have any, are those that JSON.stringify writes. */
function copyVerbatim(from: usize, to: usize, escapes: bool): usize {
  if (load<u8>(from) != quote) return 0;
  store<u8>(to, quote);
  let at = from + 1;
  let out = to + 1;
  while (true) {
    const bytes = v128.load(at);
    v128.store(out, bytes);
    const found = specials(bytes);
    if (found == 0) {
      at += 16;
      out += 16;
      continue;
    }
    const plain = ctz(found);
    at += plain;
    out += plain;
    const byte = load<u8>(at);
    if (byte == quote) {
      written = out + 1;
      return at + 1;
    }
    if (byte != backslash || !escapes) return 0;
    const escape = load<u8>(at, 1);
    if (
      escape != 0x6e &&
      escape != quote &&
      escape != backslash &&
      escape != 0x74 &&
      escape != 0x72 &&
      escape != 0x62 &&
      escape != 0x66
    )
      return 0;
    store<u16>(out, load<u16>(at));
    at += 2;
    out += 2;
  }
}

/** The place behind an object, 0 when its texts or brackets are not in order; overwrites what is at `scratch`. */
function endOfObject(from: usize, scratch: usize): usize {
  let at = from;
  let depth: i32 = 0;
  while (true) {
    const byte = load<u8>(at);
    if (byte < 0x20) return 0;
    if (byte == quote) {
      at = copyText(at + 1, scratch);
      if (at == 0) return 0;
      continue;
    }
    at++;
    if (byte == 0x7b || byte == 0x5b) depth++;
    else if ((byte == 0x7d || byte == 0x5d) && --depth == 0) return at;
  }
}
