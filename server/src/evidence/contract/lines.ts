/** A line of at most this many bytes is evidence; a longer one is quarantined without ever being held in memory. */
export const maxLineBytes = 32 * 1024 * 1024;

/** One line as it lies in the file, without its line end. */
export interface Line {
  /** Byte offset of its first byte. */
  readonly start: number;
  /** Byte offset after it and its newline: where reading goes on. */
  readonly end: number;
  /** Its bytes, without the line end; of a line over the limit only the first `keptBytes`. */
  readonly bytes: Buffer;
  readonly tooLong: boolean;
  /** False for what lies behind the last newline: torn, or still being written. */
  readonly complete: boolean;
}

/** The most bytes of lines that are held at once, but for a longer line. */
export const maxBlockBytes = 4 * 1024 * 1024;

/** Whole lines that lie behind each other in memory, from the first byte of one to behind the newline of another. */
export interface Block {
  /** Byte offset in the file of its first byte. */
  readonly start: number;
  readonly bytes: Buffer;
  /** Whether all of it is UTF-8. */
  readonly isText: boolean;
}

/** The line that begins at a place of a block. */
export function lineAt({ start, bytes }: Block, at: number): Line {
  const end = bytes.indexOf(newline, at) + 1;
  return {
    start: start + at,
    end: start + end,
    bytes: withoutReturn(bytes.subarray(at, end - 1)),
    tooLong: false,
    complete: true,
  };
}

const keptBytes = 4096;
const newline = 0x0a;
const carriageReturn = 0x0d;

/**
 * Cuts a byte stream into lines, at newlines only, so that the offsets are exact whatever the chunk boundaries, the
 * encoding or the line ends. The buffers that it yields are views of the chunks: use them before the next push.
 */
export class LineSplitter {
  #start: number;
  #position: number;
  #parts: Buffer[] = [];
  #held = 0;
  readonly #limit: number;

  /** @param offset where in the file the first byte that is pushed lies */
  constructor(offset = 0, limit = maxLineBytes) {
    this.#start = offset;
    this.#position = offset;
    this.#limit = limit;
  }

  *push(chunk: Buffer): Generator<Line> {
    let from = 0;
    for (;;) {
      const at = chunk.indexOf(newline, from);
      if (at === -1) break;
      const tail = chunk.subarray(from, at);
      const end = this.#position + 1 + at - from;
      yield this.#take(tail, end, true);
      from = at + 1;
      this.#start = this.#position = end;
    }
    if (from < chunk.length) {
      this.#hold(chunk.subarray(from));
      this.#position += chunk.length - from;
    }
  }

  /** What lies behind the last newline, or nothing. */
  end(): Line | undefined {
    return this.#position === this.#start ? undefined : this.#take(Buffer.alloc(0), this.#position, false);
  }

  #hold(part: Buffer): void {
    // The chunk is reused by the reader, so what outlives this push is copied; past the limit nothing is kept.
    if (this.#held <= this.#limit) this.#parts.push(Buffer.from(part));
    this.#held += part.length;
  }

  #take(tail: Buffer, end: number, complete: boolean): Line {
    const length = this.#held + tail.length;
    const tooLong = length > this.#limit;
    let bytes = tail;
    if (this.#held > 0) bytes = Buffer.concat([...this.#parts, tail]);
    this.#parts = [];
    this.#held = 0;
    if (tooLong) bytes = bytes.subarray(0, keptBytes);
    else bytes = withoutReturn(bytes);
    return { start: this.#start, end, bytes, tooLong, complete };
  }
}

const withoutReturn = (bytes: Buffer): Buffer =>
  bytes.at(-1) === carriageReturn ? bytes.subarray(0, -1) : bytes;
