import type { FileHandle } from "node:fs/promises";
import { PassThrough, type Readable } from "node:stream";
import { RandomAccessReader } from "yauzl";

const windowBytes = 64 * 1024;

/**
 * What the zip library reads through. Positions come from the file and may be anything up to 2^64: the library's own
 * reader would hand them to the system, which throws where nobody can catch it.
 */
export class FileReader extends RandomAccessReader {
  readonly #file: FileHandle;
  readonly #size: number;
  /** The last bytes that were read: the library asks for the directory in pieces of a few bytes. */
  #window = Buffer.alloc(0);
  #windowStart = 0;

  constructor(file: FileHandle, size: number) {
    super();
    this.#file = file;
    this.#size = size;
  }

  override read(
    buffer: Buffer,
    offset: number,
    length: number,
    position: number,
    callback: (error: Error | null, bytesRead?: number) => void,
  ): void {
    if (position + length > this.#size) {
      setImmediate(callback, new Error(`it points to byte ${position + length} of ${this.#size}`));
      return;
    }
    void this.#fill(position, length).then(
      () => {
        const from = position - this.#windowStart;
        const copied = this.#window.copy(buffer, offset, from, from + length);
        setImmediate(callback, null, copied);
      },
      (e: unknown) => setImmediate(callback, e instanceof Error ? e : new Error(String(e))),
    );
  }

  async #fill(position: number, length: number): Promise<void> {
    const start = this.#windowStart;
    if (position >= start && position + length <= start + this.#window.length) return;
    const want = Math.min(Math.max(length, windowBytes), this.#size - position);
    const { bytesRead, buffer } = await this.#file.read(Buffer.allocUnsafe(want), 0, want, position);
    this.#window = buffer.subarray(0, bytesRead);
    this.#windowStart = position;
  }

  /** Members are read by offset, not through the library. */
  override _readStreamForRange(): Readable {
    return new PassThrough().end();
  }
}
