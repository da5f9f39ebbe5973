import { Decompress } from "fzstd";

/** Windows of up to 8 MiB: what the format tells every decoder to support, and its encoders write unless forced. */
const maxWindow = 8 * 1024 * 1024;
/** A block is at most 128 KiB and takes about a millisecond: one that takes this long is made to. */
const maxBlockMs = 3000;
/** Each block moves the whole window once; so many bytes may be moved before there must be output to show for it. */
const freeMoves = 2 * 1024 ** 3;
const pushBytes = 16 * 1024;

/**
 * Decodes a stream of zstd frames. What it yields is bounded by what comes in only through the caller's limit on output:
 * stop when enough has come out.
 * @throws Error with a clause that says what is wrong with the data
 */
export async function* decodeZstd(compressed: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  const frames = new FrameWalker();
  const out: Buffer[] = [];
  let [moved, produced] = [0, 0];
  let started = 0;
  const decoder = new Decompress((block) => {
    const now = performance.now();
    if (now - started > maxBlockMs) throw new Error("a zstd block takes too long to decode");
    started = now;
    moved += frames.window;
    produced += block.length;
    if (moved > freeMoves + produced * 256) throw new Error("it consists of far too many tiny zstd blocks");
    if (block.length > 0) out.push(Buffer.from(block.buffer, block.byteOffset, block.length));
  });
  const push = (bytes: Buffer, final: boolean): void => {
    started = performance.now();
    decoder.push(bytes, final);
  };
  for await (const chunk of compressed)
    for (let at = 0; at < chunk.length; at += pushBytes) {
      const bytes = chunk.subarray(at, at + pushBytes);
      frames.walk(bytes);
      push(Buffer.from(bytes), false);
      yield* out.splice(0);
    }
  if (!frames.atEnd) throw new Error("its zstd data is cut off");
  push(Buffer.alloc(0), true);
  yield* out.splice(0);
}

/**
 * Follows the frames of zstd data without decoding them, so that a frame that asks for a huge window is refused before
 * the decoder allocates it (RFC 8878, sections 3.1.1 and 3.1.2).
 */
class FrameWalker {
  /** Of the frames so far, the largest window: what the decoder moves per block. */
  window = 0;
  #state: "magic" | "header" | "block" | "skipSize" = "magic";
  #held: number[] = [];
  #skip = 0;
  #checksum = false;

  get atEnd(): boolean {
    return this.#state === "magic" && this.#held.length === 0 && this.#skip === 0;
  }

  walk(bytes: Buffer): void {
    for (let i = 0; i < bytes.length;) {
      if (this.#skip > 0) {
        const n = Math.min(this.#skip, bytes.length - i);
        this.#skip -= n;
        i += n;
        continue;
      }
      this.#held.push(bytes[i] ?? 0);
      i++;
      if (this.#held.length >= this.#needed()) this.#take();
    }
  }

  #needed(): number {
    if (this.#state === "block") return 3;
    if (this.#state !== "header") return 4;
    const flags = this.#held[0];
    return flags === undefined ? 1 : headerBytes(flags);
  }

  #take(): void {
    const held = this.#held;
    switch (this.#state) {
      case "magic": {
        const magic = Buffer.from(held).readUInt32LE(0);
        if (magic === 0xfd2fb528) this.#state = "header";
        else if (magic >>> 4 === 0x184d2a5) this.#state = "skipSize";
        else throw new Error("it is not zstd data");
        break;
      }
      case "skipSize":
        this.#skip = Buffer.from(held).readUInt32LE(0);
        this.#state = "magic";
        break;
      case "header": {
        const window = windowOf(held);
        if (window > maxWindow) throw new Error(`its zstd window of ${window} bytes is larger than 8 MiB`);
        this.window = Math.max(this.window, window);
        this.#checksum = ((held[0] ?? 0) & 4) !== 0;
        this.#state = "block";
        break;
      }
      case "block": {
        const header = (held[0] ?? 0) | ((held[1] ?? 0) << 8) | ((held[2] ?? 0) << 16);
        const type = (header >> 1) & 3;
        const size = header >> 3;
        if (type === 3 || size > 131072) throw new Error("it has an invalid zstd block");
        this.#skip = type === 1 ? 1 : size;
        if ((header & 1) === 1) {
          if (this.#checksum) this.#skip += 4;
          this.#state = "magic";
        }
        break;
      }
    }
    this.#held = [];
  }
}

const sizeFieldBytes = (flags: number): number => {
  const code = flags >> 6;
  return code === 0 ? (flags >> 5) & 1 : 1 << code;
};
const dictionaryBytes = (flags: number): number => [0, 1, 2, 4][flags & 3] ?? 0;
const isSingleSegment = (flags: number): boolean => (flags & 32) !== 0;

function headerBytes(flags: number): number {
  return 1 + (isSingleSegment(flags) ? 0 : 1) + dictionaryBytes(flags) + sizeFieldBytes(flags);
}

function windowOf(header: readonly number[]): number {
  const flags = header[0] ?? 0;
  if (dictionaryBytes(flags) > 0) throw new Error("its zstd data needs a dictionary");
  if (!isSingleSegment(flags)) {
    const base = 2 ** (10 + ((header[1] ?? 0) >> 3));
    return base + (base / 8) * ((header[1] ?? 0) & 7);
  }
  let size = 0;
  for (const byte of header.slice(1).reverse()) size = size * 256 + byte;
  return flags >> 6 === 1 ? size + 256 : size;
}
