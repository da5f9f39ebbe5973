import { isAscii, isUtf8 } from "node:buffer";

const quote = 0x22;
const backslash = 0x5c;
const space = 0x20;
const minus = 0x2d;
const dot = 0x2e;
const zero = 0x30;
const nine = 0x39;

/** 1 for the bytes that stand for themselves in a text. */
const plain = Uint8Array.from({ length: 256 }, (_, byte) =>
  byte >= space && byte !== quote && byte !== backslash ? 1 : 0,
);

const isDigit = (byte: number): boolean => byte >= zero && byte <= nine;

/** Powers of ten that a double holds exactly. */
const powers = Array.from({ length: 23 }, (_, i) => 10 ** i);

/** The most names of an object that are compared with each other. */
const plainNames = 8;

/**
 * Reads JSON in the form in which programs write it from the bytes of a line, without making objects of it. What it does
 * not take (`failed`) may still be JSON: it is then for JSON.parse to say.
 */
export class JsonScanner {
  bytes: Buffer = Buffer.alloc(0);
  at = 0;
  failed = false;
  /** Texts of the line that hold escapes, with these resolved. */
  resolved: Buffer = Buffer.alloc(1 << 12);
  #resolvedBytes = 0;
  /** Where the text that was read last begins and ends, between its quotes, or in `resolved` if it holds escapes. */
  start = 0;
  end = 0;
  escaped = false;
  #ascii = true;
  readonly #names = new Int32Array(2 * plainNames);

  /** Begins a line; false when its bytes are not UTF-8. */
  begin(bytes: Buffer): boolean {
    this.bytes = bytes;
    this.at = 0;
    this.failed = false;
    this.#resolvedBytes = 0;
    this.#ascii = isAscii(bytes);
    return this.#ascii || isUtf8(bytes);
  }

  /** The next byte that is no space; 0 at the end. */
  peek(): number {
    const { bytes } = this;
    while (bytes[this.at] === space) this.at++;
    return bytes[this.at] ?? 0;
  }

  /** Passes a byte if it is the next one. */
  take(byte: number): boolean {
    if (this.peek() !== byte) return false;
    this.at++;
    return true;
  }

  /** Passes a word such as `null`. */
  takeWord(word: string): boolean {
    for (let i = 0; i < word.length; i++) if (this.bytes[this.at + i] !== word.charCodeAt(i)) return false;
    this.at += word.length;
    return true;
  }

  /** Reads a text, and leaves its place in `start`, `end` and `escaped`. */
  text(): boolean {
    if (!this.take(quote)) return this.fail();
    const { bytes } = this;
    const from = this.at;
    let at = from;
    while (plain[bytes[at] ?? 0] === 1) at++;
    if (bytes[at] === backslash) return this.#escapedText(from, at);
    if (bytes[at] !== quote) return this.fail();
    this.start = from;
    this.end = at;
    this.escaped = false;
    this.at = at + 1;
    return true;
  }

  /** Resolves the escapes on the way: a text with line ends is long, and is looked at only once. */
  #escapedText(from: number, first: number): boolean {
    const { bytes } = this;
    // It never gets longer.
    if (this.resolved.length < this.#resolvedBytes + bytes.length - from) this.#growResolved(bytes.length);
    const to = this.resolved;
    const start = this.#resolvedBytes;
    let out = start + bytes.copy(to, start, from, first);
    let at = first;
    for (;;) {
      const byte = bytes[at] ?? 0;
      if (plain[byte] === 1) {
        to[out++] = byte;
        at++;
      } else if (byte === backslash) {
        const length = escapeLength(bytes, at);
        if (length === 0) return this.fail();
        if (length === 2) to[out++] = simpleEscape(bytes[at + 1] ?? 0);
        else {
          const code = codeAt(bytes, at);
          out = putUtf8(code, to, out);
          if (code > 0xffff) at += 6;
        }
        at += length;
      } else if (byte === quote) break;
      else return this.fail();
    }
    this.start = start;
    this.end = this.#resolvedBytes = out;
    this.escaped = true;
    this.at = at + 1;
    return true;
  }

  #growResolved(bytes: number): void {
    const larger = Buffer.alloc(2 * Math.max(this.resolved.length, bytes));
    this.resolved.copy(larger, 0, 0, this.#resolvedBytes);
    this.resolved = larger;
  }

  /**
   * Reads a key and its colon; answers its place among the names, from `hint` on and then from the first one, or -1 for
   * another key.
   */
  key(names: readonly Buffer[], hint: number): number {
    if (!this.take(quote)) return -1;
    for (let n = 0; n < names.length; n++) {
      const index = hint + n < names.length ? hint + n : hint + n - names.length;
      const name = names[index];
      if (name === undefined || !this.#startsWith(name)) continue;
      this.at += name.length;
      return this.take(0x3a) ? index : -1;
    }
    return -1;
  }

  #startsWith(name: Buffer): boolean {
    const { bytes, at } = this;
    for (let i = 0; i < name.length; i++) if (bytes[at + i] !== name[i]) return false;
    return true;
  }

  /** Reads a number; NaN when there is none, or none that a double holds. */
  number(): number {
    this.peek();
    const { bytes } = this;
    const from = this.at;
    let at = from;
    const negative = bytes[at] === minus;
    if (negative) at++;
    let mantissa = 0;
    let decimals = 0;
    const first = at;
    for (let byte = bytes[at] ?? 0; isDigit(byte); byte = bytes[++at] ?? 0)
      mantissa = mantissa * 10 + byte - zero;
    let digits = at - first;
    if (digits === 0 || (digits > 1 && bytes[first] === zero)) return this.#noNumber();
    if (bytes[at] === dot) {
      const point = ++at;
      for (let byte = bytes[at] ?? 0; isDigit(byte); byte = bytes[++at] ?? 0)
        mantissa = mantissa * 10 + byte - zero;
      decimals = at - point;
      if (decimals === 0) return this.#noNumber();
      digits += decimals;
    }
    const byte = bytes[at];
    this.at = at;
    // Up to here both parts are exact, so that their quotient is the nearest double.
    if (digits <= 15 && byte !== 0x65 && byte !== 0x45) {
      const value = decimals === 0 ? mantissa : mantissa / (powers[decimals] ?? 1);
      return negative ? -value : value;
    }
    return this.#longNumber(from);
  }

  #longNumber(from: number): number {
    const found = /^-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?/.exec(
      this.bytes.toString("latin1", from, from + 400),
    )?.[0];
    if (found === undefined || found.length === 400) return this.#noNumber();
    this.at = from + found.length;
    const value = Number(found);
    return Number.isFinite(value) ? value : this.#noNumber();
  }

  #noNumber(): number {
    this.failed = true;
    return NaN;
  }

  /**
   * Passes an object that is written as JSON.stringify would write it: without spaces and escapes, with simple values and
   * with names that keep their order. False, with nothing passed, for any other.
   */
  plainObject(): boolean {
    if (this.peek() !== 0x7b) return false;
    const from = this.at++;
    if (this.bytes[this.at] === 0x7d) {
      this.at++;
      return true;
    }
    for (let n = 0; n < plainNames; n++) {
      if (!this.#plainName(n) || this.bytes[this.at] !== 0x3a) break;
      this.at++;
      if (!this.#plainValue()) break;
      const byte = this.bytes[this.at++];
      if (byte === 0x7d) return true;
      if (byte !== 0x2c) break;
    }
    this.at = from;
    this.failed = false;
    return false;
  }

  #plainName(n: number): boolean {
    const { bytes } = this;
    if (bytes[this.at] !== quote || !this.text() || this.escaped) return false;
    const { start, end } = this;
    const first = bytes[start] ?? 0;
    if (isDigit(first) || first === 0x5f) return false;
    for (let i = 0; i < n; i++) {
      const [from, to] = [this.#names[2 * i] ?? 0, this.#names[2 * i + 1] ?? 0];
      if (to - from === end - start && bytes.compare(bytes, from, to, start, end) === 0) return false;
    }
    this.#names[2 * n] = start;
    this.#names[2 * n + 1] = end;
    return true;
  }

  #plainValue(): boolean {
    const { bytes } = this;
    const byte = bytes[this.at] ?? 0;
    if (byte === quote) return this.text() && !this.escaped;
    if (byte === 0x74) return this.takeWord("true");
    if (byte === 0x66) return this.takeWord("false");
    if (byte === 0x6e) return this.takeWord("null");
    const from = this.at;
    let at = from;
    while (isDigit(bytes[at] ?? 0)) at++;
    this.at = at;
    // Whole numbers that are written in one way only.
    return at > from && at - from <= 15 && (bytes[from] !== zero || at === from + 1);
  }

  /** Reads an object; answers how it is written in short, or undefined when it is not one. */
  object(): string | undefined {
    if (this.peek() !== 0x7b) return undefined;
    const { bytes } = this;
    const from = this.at;
    let depth = 0;
    for (;;) {
      const byte = bytes[this.at] ?? 0;
      if (byte === quote) {
        if (!this.text()) return undefined;
        continue;
      }
      if (byte === 0) return undefined;
      this.at++;
      if (byte === 0x7b || byte === 0x5b) depth++;
      if ((byte === 0x7d || byte === 0x5d) && --depth === 0) break;
    }
    const text = this.slice(from, this.at);
    try {
      const value: unknown = JSON.parse(text);
      return JSON.stringify(value);
    } catch {
      return undefined;
    }
  }

  /** A part of the line as a string, escapes as they stand. */
  slice(start: number, end: number): string {
    return this.#ascii ? this.bytes.toString("latin1", start, end) : this.bytes.toString("utf8", start, end);
  }

  /** Notes that the line is for another reader. */
  fail(): false {
    this.failed = true;
    return false;
  }
}

/** The length of an escape sequence at a backslash, 0 if it is none. */
function escapeLength(bytes: Buffer, at: number): number {
  const byte = bytes[at + 1] ?? 0;
  if (byte === 0x75) {
    for (let i = 2; i < 6; i++) if (hexOf(bytes[at + i] ?? 0) < 0) return 0;
    return 6;
  }
  return simpleEscape(byte) === 0 ? 0 : 2;
}

/** What a character behind a backslash stands for, 0 for nothing. */
function simpleEscape(byte: number): number {
  switch (byte) {
    case 0x6e:
      return 0x0a;
    case quote:
    case backslash:
    case 0x2f:
      return byte;
    case 0x74:
      return 0x09;
    case 0x72:
      return 0x0d;
    case 0x62:
      return 0x08;
    case 0x66:
      return 0x0c;
    default:
      return 0;
  }
}

function hexOf(byte: number): number {
  if (isDigit(byte)) return byte - zero;
  const letter = byte | 0x20;
  return letter >= 0x61 && letter <= 0x66 ? letter - 0x57 : -1;
}

function unit(bytes: Buffer, at: number): number {
  let value = 0;
  for (let i = 2; i < 6; i++) value = value * 16 + hexOf(bytes[at + i] ?? 0);
  return value;
}

/** The character of an escape by its number; half a surrogate pair is the replacement character. */
function codeAt(bytes: Buffer, at: number): number {
  const code = unit(bytes, at);
  if (code < 0xd800 || code > 0xdfff) return code;
  const next = at + 6;
  if (
    code > 0xdbff ||
    bytes[next] !== backslash ||
    bytes[next + 1] !== 0x75 ||
    escapeLength(bytes, next) !== 6
  )
    return 0xfffd;
  const low = unit(bytes, next);
  return low >= 0xdc00 && low <= 0xdfff ? 0x10000 + ((code - 0xd800) << 10) + (low - 0xdc00) : 0xfffd;
}

function putUtf8(code: number, to: Buffer, at: number): number {
  let out = at;
  if (code < 0x80) to[out++] = code;
  else if (code < 0x800) {
    to[out++] = 0xc0 | (code >> 6);
    to[out++] = 0x80 | (code & 0x3f);
  } else if (code < 0x10000) {
    to[out++] = 0xe0 | (code >> 12);
    to[out++] = 0x80 | ((code >> 6) & 0x3f);
    to[out++] = 0x80 | (code & 0x3f);
  } else {
    to[out++] = 0xf0 | (code >> 18);
    to[out++] = 0x80 | ((code >> 12) & 0x3f);
    to[out++] = 0x80 | ((code >> 6) & 0x3f);
    to[out++] = 0x80 | (code & 0x3f);
  }
  return out;
}
