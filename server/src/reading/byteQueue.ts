/** Bytes that have arrived and are not consumed yet, joined only when a piece that spans chunks is asked for. */
export class ByteQueue {
  /** Bytes in the queue. */
  length = 0;
  #chunks: Buffer[] = [];

  push(chunk: Buffer): void {
    if (chunk.length === 0) return;
    this.#chunks.push(chunk);
    this.length += chunk.length;
  }

  /** The next `count` bytes, which stay in the queue; nothing when fewer have arrived. */
  peek(count: number): Buffer | undefined {
    if (count > this.length) return undefined;
    const [first] = this.#chunks;
    if (first === undefined || first.length >= count) return (first ?? Buffer.alloc(0)).subarray(0, count);
    const joined = Buffer.concat(this.#chunks);
    this.#chunks = [joined];
    return joined.subarray(0, count);
  }

  /** Drops up to `count` bytes, and says how many. */
  skip(count: number): number {
    let left = Math.min(count, this.length);
    const skipped = left;
    this.length -= left;
    while (left > 0) {
      const [first = Buffer.alloc(0)] = this.#chunks;
      if (first.length > left) {
        this.#chunks[0] = first.subarray(left);
        break;
      }
      left -= first.length;
      this.#chunks.shift();
    }
    return skipped;
  }
}
