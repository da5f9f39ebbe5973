import { randomBytes } from "node:crypto";
import { once } from "node:events";
import { rmSync } from "node:fs";
import { connect, createServer, type Socket } from "node:net";
import type { Readable } from "node:stream";
import { join } from "node:path";
import { ownFolder } from "./prompts/ownFolder.ts";

/** So often a block is read before it has to be taken. */
const slots = 8;
const momentMilliseconds = 2;

/**
 * The output of a process, read into one block of memory over and over. Node's own pipes take new memory for every 64 KB,
 * which costs more than the bytes themselves where a host sends hundreds of megabytes a second.
 */
export class OutputChannel {
  /** What the process is given as its output. Closed here with `started`. */
  readonly far: Socket;
  readonly #near: Socket;
  readonly #ring: Ring;

  private constructor(far: Socket, near: Socket, ring: Ring) {
    this.far = far;
    this.#near = near;
    this.#ring = ring;
  }

  /** `bytes` is the most that is held. Undefined where there are no such sockets: then the process gets a pipe. */
  static async open(bytes: number): Promise<OutputChannel | undefined> {
    const folder = ownFolder();
    if (folder === undefined) return undefined;
    const path = join(folder, randomBytes(8).toString("hex"));
    const server = createServer({ pauseOnConnect: true });
    try {
      server.listen(path);
      await once(server, "listening");
      const accepted = new Promise<Socket>((resolve) => server.once("connection", resolve));
      const ring = new Ring(bytes);
      const near = connect({
        path,
        onread: { buffer: () => ring.next(), callback: (length) => ring.filled(length) },
      });
      near.on("close", () => ring.close()).on("error", () => undefined);
      await once(near, "connect");
      return new OutputChannel(await accepted, near, ring);
    } finally {
      server.close();
      rmSync(path, { force: true });
    }
  }

  /** The process has its end now. */
  started(): void {
    this.far.destroy();
  }

  /** What came, until it is closed. Parts are valid until the next are asked for. */
  async *parts(): AsyncGenerator<readonly Buffer[], void> {
    for (;;) {
      const parts = await this.#ring.take();
      if (parts.length === 0) return;
      this.#near.resume();
      yield parts;
    }
  }

  destroy(): void {
    this.far.destroy();
    this.#near.destroy();
  }
}

/** Slots of memory that are filled in turn; those that were taken are filled again after the next were asked for. */
class Ring {
  readonly #slots: readonly Buffer[];
  #at = -1;
  #parts: Buffer[] = [];
  #taken = 0;
  #isClosed = false;
  #wake = (): void => undefined;

  constructor(bytes: number) {
    const size = Math.ceil(bytes / slots);
    const block = Buffer.allocUnsafeSlow(size * slots);
    this.#slots = Array.from({ length: slots }, (_, i) => block.subarray(i * size, (i + 1) * size));
  }

  /** The slot that is read into next. */
  next(): Buffer {
    this.#at = (this.#at + 1) % slots;
    return this.#slot;
  }

  get #slot(): Buffer {
    const slot = this.#slots[this.#at];
    if (slot === undefined) throw new Error("no slot was asked for");
    return slot;
  }

  /** Whether more may be read: the slot that comes next has to be free, also once all these are taken. */
  filled(length: number): boolean {
    this.#parts.push(this.#slot.subarray(0, length));
    this.#wake();
    return this.#parts.length + this.#taken < slots - 1;
  }

  close(): void {
    this.#isClosed = true;
    this.#wake();
  }

  /** All that was filled; nothing once it is closed. Where much comes at a time, a moment is waited for more of it. */
  async take(): Promise<readonly Buffer[]> {
    this.#taken = 0;
    if (this.#parts.length === 0 && !this.#isClosed)
      await new Promise<void>((resolve) => (this.#wake = resolve));
    if ((this.#parts.at(-1)?.length ?? 0) > this.#slot.length / 2 && this.#parts.length < slots / 2) {
      await new Promise<void>((resolve) => {
        setTimeout(resolve, momentMilliseconds);
        this.#wake = () => {
          if (this.#parts.length >= slots / 2 || this.#isClosed) resolve();
        };
      });
    }
    const parts = this.#parts;
    this.#parts = [];
    this.#taken = parts.length;
    return parts;
  }
}

/** The same of a stream, whatever ends it. */
export async function* partsOf(stream: Readable): AsyncGenerator<readonly Buffer[], void> {
  try {
    for await (const part of stream) if (part instanceof Buffer) yield [part];
  } catch {
    // What is cut off is asked for again.
  }
}
