// Texts of JSON: their escapes are resolved on the way into the heap of their column.
import { Column, setValid } from "./layout";

const quote: u8 = 0x22;
const backslash: u8 = 0x5c;
const shortBytes: u32 = 12;

/** What a byte behind a backslash stands for, 0 for nothing. */
const simpleEscapes: usize = memory.data(256);

export function initText(): void {
  store<u8>(simpleEscapes + 0x22, 0x22);
  store<u8>(simpleEscapes + 0x5c, 0x5c);
  store<u8>(simpleEscapes + 0x2f, 0x2f);
  store<u8>(simpleEscapes + 0x6e, 0x0a);
  store<u8>(simpleEscapes + 0x74, 0x09);
  store<u8>(simpleEscapes + 0x72, 0x0d);
  store<u8>(simpleEscapes + 0x62, 0x08);
  store<u8>(simpleEscapes + 0x66, 0x0c);
}

/** Where the text that was copied last ends. */
export let copied: usize = 0;

/** One bit for each of the 16 bytes at `at` that does not stand for itself in a text. */
export function specials(bytes: v128): u32 {
  return i8x16.bitmask(
    v128.or(
      v128.or(i8x16.eq(bytes, i8x16.splat(0x22)), i8x16.eq(bytes, i8x16.splat(0x5c))),
      i8x16.lt_u(bytes, i8x16.splat(0x20)),
    ),
  );
}

/** Copies a text from behind its first quote; answers the place behind the last one, or 0 when it is no text. */
export function copyText(from: usize, to: usize): usize {
  let at = from;
  let out = to;
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
      copied = out;
      return at + 1;
    }
    if (byte != backslash) return 0;
    const escape = load<u8>(at, 1);
    if (escape == 0x75) {
      const code = unit(at);
      if (code < 0) return 0;
      at += 6;
      if ((code & 0xf800) != 0xd800) out = putUtf8(code, out);
      else {
        // Half a surrogate pair is the replacement character.
        const low = code < 0xdc00 && load<u8>(at) == backslash && load<u8>(at, 1) == 0x75 ? unit(at) : -1;
        if ((low & ~0x3ff) == 0xdc00) {
          out = putUtf8(0x10000 + ((code - 0xd800) << 10) + (low - 0xdc00), out);
          at += 6;
        } else out = putUtf8(0xfffd, out);
      }
    } else {
      const meant = load<u8>(simpleEscapes + escape);
      if (meant == 0) return 0;
      store<u8>(out++, meant);
      at += 2;
    }
  }
}

/** The number behind \u, -1 when it is none. */
function unit(at: usize): i32 {
  let value: i32 = 0;
  for (let i: usize = 2; i < 6; i++) {
    const byte: i32 = load<u8>(at + i);
    const letter = byte | 0x20;
    if (byte >= 0x30 && byte <= 0x39) value = (value << 4) | (byte - 0x30);
    else if (letter >= 0x61 && letter <= 0x66) value = (value << 4) | (letter - 0x57);
    else return -1;
  }
  return value;
}

function putUtf8(code: i32, out: usize): usize {
  if (code < 0x80) {
    store<u8>(out, <u8>code);
    return out + 1;
  }
  if (code < 0x800) {
    store<u8>(out, <u8>(0xc0 | (code >> 6)));
    store<u8>(out, <u8>(0x80 | (code & 0x3f)), 1);
    return out + 2;
  }
  if (code < 0x10000) {
    store<u8>(out, <u8>(0xe0 | (code >> 12)));
    store<u8>(out, <u8>(0x80 | ((code >> 6) & 0x3f)), 1);
    store<u8>(out, <u8>(0x80 | (code & 0x3f)), 2);
    return out + 3;
  }
  store<u8>(out, <u8>(0xf0 | (code >> 18)));
  store<u8>(out, <u8>(0x80 | ((code >> 12) & 0x3f)), 1);
  store<u8>(out, <u8>(0x80 | ((code >> 6) & 0x3f)), 2);
  store<u8>(out, <u8>(0x80 | (code & 0x3f)), 3);
  return out + 4;
}

/** Reads a text into a row of a column. */
export function readText(at: usize, c: Column, row: i32): usize {
  if (load<u8>(at) != quote) return 0;
  const next = copyText(at + 1, c.heap + c.end);
  if (next != 0) putSlot(c, row, copied, false);
  return next;
}

/** The same for a text that is often that of the row before. */
export function readRepeated(at: usize, c: Column, row: i32): usize {
  if (load<u8>(at) != quote) return 0;
  const next = copyText(at + 1, c.heap + c.end);
  if (next != 0) putSlot(c, row, copied, true);
  return next;
}

/** The same for one that must not be empty. */
export function readName(at: usize, c: Column, row: i32): usize {
  return load<u8>(at, 1) == quote ? 0 : readRepeated(at, c, row);
}

/** The same for one that is not empty and has no escapes. */
export function readPlainName(at: usize, c: Column, row: i32): usize {
  const next = readName(at, c, row);
  // An escape always is longer than what it stands for.
  return next != 0 && next - at - 2 == load<u32>(c.data + ((<usize>row) << 4)) ? next : 0;
}

/** Lays out the slot of a text that lies at the end of the column's heap and ends at `end`. */
export function putSlot(c: Column, row: i32, end: usize, repeats: bool): void {
  const from = c.heap + c.end;
  const length = <u32>(end - from);
  const slot = c.data + ((<usize>row) << 4);
  store<u32>(slot, length);
  if (length <= shortBytes) {
    // The engine compares short texts as whole slots, so that what is behind the text has to be zero.
    const low: u64 = length >= 8 ? ~0 : ((<u64>1) << (8 * length)) - 1;
    const high: u32 = length <= 8 ? 0 : <u32>(((<u64>1) << (8 * length - 64)) - 1);
    store<u64>(slot, load<u64>(from) & low, 4);
    store<u32>(slot, load<u32>(from, 8) & high, 12);
    return;
  }
  store<u32>(slot, load<u32>(from), 4);
  if (repeats && row > 0 && load<u64>(slot - 16) == load<u64>(slot)) {
    const place = load<u64>(slot - 8);
    if (equal(c.heap + <usize>place, from, length)) {
      store<u64>(slot, place, 8);
      return;
    }
  }
  store<u64>(slot, c.end, 8);
  c.end = end - c.heap;
}

/** Whether so many bytes, at least 8, are the same. */
function equal(a: usize, b: usize, length: u32): bool {
  const last = length - 8;
  for (let i: usize = 0; i < last; i += 8) if (load<u64>(a + i) != load<u64>(b + i)) return false;
  return load<u64>(a + last) == load<u64>(b + last);
}

/** Leaves a row of a text column without a value. */
export function putNoText(c: Column, row: i32): void {
  setValid(c, row, false);
  v128.store(c.data + ((<usize>row) << 4), i64x2.splat(0));
}
