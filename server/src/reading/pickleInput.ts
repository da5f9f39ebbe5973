import { isUtf8 } from "node:buffer";
import { size } from "../../../shared/words/numbers.ts";
import { HarnessError } from "../base/errors.ts";

/** Reads `length` bytes at a position, or fewer at the end of the file. */
export type ReadAt = (position: number, length: number) => Buffer;

const windowBytes = 1024 * 1024;

/** The bytes of a pickle in order. Every claim about a length is held to what is there before anything is allocated. */
export class PickleInput {
  position = 0;
  readonly name: string;
  readonly #size: number;
  readonly #readAt: ReadAt;
  readonly #maxString: number;
  #window: Buffer = Buffer.alloc(0);
  #start = 0;

  constructor(options: {
    readonly name: string;
    readonly size: number;
    readonly readAt: ReadAt;
    readonly maxStringBytes: number;
  }) {
    this.name = options.name;
    this.#size = options.size;
    this.#readAt = options.readAt;
    this.#maxString = options.maxStringBytes;
  }

  get atEnd(): boolean {
    return this.position >= this.#size;
  }

  /** @throws HarnessError badInput always */
  fail(what: string, at = this.position): never {
    throw new HarnessError(
      "badInput",
      `${this.name} cannot be read as a pickle: ${what} at byte ${at}; write it again, preferably as JSON lines.`,
    );
  }

  byte(): number {
    const at = this.position - this.#start;
    const byte = at >= 0 ? this.#window[at] : undefined;
    if (byte === undefined) return this.bytes(1)[0] ?? 0;
    this.position++;
    return byte;
  }

  /** The next bytes, as a view that is valid until the next read. */
  bytes(length: number): Buffer {
    if (length > this.#size - this.position)
      this.fail(`it claims ${length} bytes, but only ${this.#size - this.position} remain (is it cut off?)`);
    if (length > this.#maxString)
      this.fail(`it has a text of ${length} bytes, over ${size(this.#maxString)},`);
    this.#fill(length);
    const at = this.position - this.#start;
    this.position += length;
    return this.#window.subarray(at, at + length);
  }

  /** The bytes up to the next newline, which is consumed. */
  line(limit = this.#maxString): Buffer {
    for (let want = 256; ; want *= 8) {
      const there = Math.min(want, this.#size - this.position, limit + 1);
      this.#fill(there);
      const at = this.position - this.#start;
      const end = this.#window.indexOf(0x0a, at);
      if (end !== -1 && end - at <= limit) {
        this.position += end - at + 1;
        return this.#window.subarray(at, end);
      }
      if (there > limit || end !== -1) this.fail(`it has a line of more than ${limit} bytes`);
      if (there === this.#size - this.position) this.fail("it ends in the middle of a line");
    }
  }

  /** An unsigned length of 1, 2, 4 or 8 bytes. */
  size(width: 1 | 2 | 4 | 8): number {
    const bytes = this.bytes(width);
    if (width < 8) return bytes.readUIntLE(0, width);
    return bytes.readUInt32LE(0) + bytes.readUInt32LE(4) * 2 ** 32;
  }

  utf8(length: number): string {
    const at = this.position;
    const bytes = this.bytes(length);
    return isUtf8(bytes)
      ? bytes.toString("utf8")
      : (withSurrogates(bytes) ?? this.fail("it has a text that is not UTF-8", at));
  }

  #fill(length: number): void {
    const at = this.position - this.#start;
    if (at >= 0 && at + length <= this.#window.length) return;
    this.#window = this.#readAt(this.position, Math.max(length, windowBytes));
    this.#start = this.position;
    if (this.#window.length < length) this.fail("it became shorter while it was read");
  }
}

/** UTF-8 in which Python left halves of surrogate pairs, as `errors="surrogatepass"` writes them. */
function withSurrogates(bytes: Buffer): string | undefined {
  let text = "";
  let from = 0;
  for (let i = bytes.indexOf(0xed); i !== -1; i = bytes.indexOf(0xed, i + 1)) {
    const [second = 0, third = 0] = bytes.subarray(i + 1, i + 3);
    if (second < 0xa0 || second > 0xbf || third < 0x80 || third > 0xbf) continue;
    if (!isUtf8(bytes.subarray(from, i))) return undefined;
    text +=
      bytes.toString("utf8", from, i) + String.fromCharCode(0xd000 | ((second & 0x3f) << 6) | (third & 0x3f));
    from = i + 3;
  }
  return from > 0 && isUtf8(bytes.subarray(from)) ? text + bytes.toString("utf8", from) : undefined;
}

/** A text of protocol 0: latin-1 with `\u` escapes. */
export function rawUnicode(bytes: Buffer): string {
  return bytes
    .toString("latin1")
    .replaceAll(
      /\\\\|\\u([0-9a-fA-F]{4})|\\U00([01][0-9a-fA-F]{5})/g,
      (all, short?: string, long?: string) => {
        const code = parseInt(short ?? long ?? "", 16);
        return Number.isNaN(code) || code > 0x10ffff ? all : String.fromCodePoint(code);
      },
    );
}

const escapes: Readonly<Record<string, string>> = {
  n: "\n",
  t: "\t",
  r: "\r",
  a: "\x07",
  b: "\b",
  f: "\f",
  v: "\v",
};

/** A string of Python 2, written as its `repr`; nothing when it is none. */
export function pythonString(line: Buffer): string | undefined {
  const text = line.toString("latin1").trim();
  const body = /^'((?:[^\\]|\\.)*)'$|^"((?:[^\\]|\\.)*)"$/s.exec(text);
  if (body === null) return undefined;
  const raw = (body[1] ?? body[2] ?? "").replaceAll(
    /\\(?:x([0-9a-fA-F]{2})|([0-7]{1,3})|(.))/gs,
    (_, hex?: string, octal?: string, other?: string) => {
      if (hex !== undefined) return String.fromCharCode(parseInt(hex, 16));
      if (octal !== undefined) return String.fromCharCode(parseInt(octal, 8) & 0xff);
      return escapes[other ?? ""] ?? other ?? "";
    },
  );
  return python2Text(Buffer.from(raw, "latin1"));
}

/** Python 2 does not say what its strings are encoded in: UTF-8 where that fits, else latin-1. */
export function python2Text(bytes: Buffer): string {
  return bytes.toString(isUtf8(bytes) ? "utf8" : "latin1");
}

/** An integer as a number, or as a bigint where a number would round it. */
export function integer(value: bigint): number | bigint {
  const small = Number(value);
  return Number.isSafeInteger(small) ? small : value;
}

/** Two's complement, least significant byte first. */
export function littleEndian(bytes: Buffer): number | bigint {
  if (bytes.length === 0) return 0;
  if (bytes.length <= 6) return bytes.readIntLE(0, bytes.length);
  return integer(
    BigInt.asIntN(bytes.length * 8, BigInt(`0x${Buffer.from(bytes).reverse().toString("hex")}`)),
  );
}
