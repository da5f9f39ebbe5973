import type * as Bindings from "@duckdb/node-bindings";
import { chunkRows, grown, NativeValues, type Cell } from "./nativeValues.ts";

/**
 * A string in a vector (duckdb_string_t): 4 bytes of length, then up to 12 bytes of text, or 4 bytes of it and the address
 * of all of it.
 */
export const slotBytes = 16;
const slotWords = slotBytes / 4;
const shortBytes = 12;

/** What a column first takes for the long texts of a chunk, and the most that it keeps for the next one. */
const firstHeapBytes = 1 << 12;
const keptHeapBytes = 1 << 22;

/**
 * Texts. The bytes of all long ones of a chunk go to the engine as one string, which it copies to where the vector's
 * strings live; the slots then point into that copy.
 */
export class TextValues extends NativeValues {
  #slots = new Uint8Array(chunkRows * slotBytes);
  #words = new Uint32Array(this.#slots.buffer);
  #heap = Buffer.alloc(0);
  #used = 0;
  /** Rows whose text is in the heap; until the heap has its address, their slots hold the place in it. */
  #long: number[] = [];
  #last = "";
  #lastRow = -1;

  protected set(row: number, value: Cell): void {
    if (typeof value !== "string") throw new Error(`A text column got a ${typeof value}.`);
    this.#makeRoom(row);
    if (value === this.#last && this.#lastRow >= 0) this.#repeat(row);
    else if (!this.#setShort(row * slotBytes, value)) this.#setLong(row, value);
    this.#last = value;
    this.#lastRow = row;
  }

  #makeRoom(row: number): void {
    if ((row + 1) * slotBytes <= this.#slots.length) return;
    this.#slots = grown(this.#slots);
    this.#words = new Uint32Array(this.#slots.buffer);
  }

  #repeat(row: number): void {
    const words = this.#words;
    const to = row * slotWords;
    const from = this.#lastRow * slotWords;
    for (let i = 0; i < slotWords; i++) words[to + i] = words[from + i] ?? 0;
    if ((words[to] ?? 0) > shortBytes) this.#long.push(row);
  }

  #setShort(at: number, text: string): boolean {
    const { length } = text;
    if (length > shortBytes) return false;
    const slots = this.#slots;
    for (let i = 0; i < length; i++) {
      const code = text.charCodeAt(i);
      if (code > 0x7f) return false;
      slots[at + 4 + i] = code;
    }
    this.#endShort(at, length);
    return true;
  }

  #endShort(at: number, length: number): void {
    const slots = this.#slots;
    // The engine compares short strings as whole slots, so that what is behind the text has to be zero.
    for (let i = length; i < shortBytes; i++) slots[at + 4 + i] = 0;
    this.#words[at / 4] = length;
  }

  #setLong(row: number, text: string): void {
    const start = this.#used;
    this.#reserve(start + 3 * text.length);
    const length = this.#heap.write(text, start);
    const at = row * slotBytes;
    if (length <= shortBytes) {
      this.#slots.set(this.#heap.subarray(start, start + length), at + 4);
      this.#endShort(at, length);
      return;
    }
    this.#endLong(row, length);
  }

  /** Lays out the slot of a text that was put behind what the heap holds. */
  #endLong(row: number, length: number): void {
    const words = this.#words;
    const heap = this.#heap;
    const word = row * slotWords;
    const start = this.#used;
    words[word] = length;
    words[word + 1] =
      (heap[start] ?? 0) |
      ((heap[start + 1] ?? 0) << 8) |
      ((heap[start + 2] ?? 0) << 16) |
      ((heap[start + 3] ?? 0) << 24);
    words[word + 2] = start;
    this.#used = start + length;
    this.#long.push(row);
  }

  #reserve(bytes: number): void {
    if (bytes <= this.#heap.length) return;
    const larger = Buffer.allocUnsafe(Math.max(bytes, 2 * this.#heap.length, firstHeapBytes));
    larger.set(this.#heap.subarray(0, this.#used));
    this.#heap = larger;
  }

  protected write(vector: Bindings.Vector): void {
    if (this.#long.length > 0) this.#point(vector);
    this.bindings.copy_data_to_vector(vector, 0, this.#slots.buffer, 0, this.rows * slotBytes);
  }

  /** Hands the heap to the engine and sets the addresses of the long texts. */
  #point(vector: Bindings.Vector): void {
    const address = putHeap(this.bindings, vector, this.#heap.subarray(0, this.#used));
    const words = this.#words;
    for (const row of this.#long) {
      const word = row * slotWords;
      const sum = address + (words[word + 2] ?? 0);
      words[word + 2] = sum % 2 ** 32;
      words[word + 3] = sum / 2 ** 32;
    }
  }

  override clear(): void {
    super.clear();
    this.#long = [];
    this.#used = 0;
    this.#lastRow = -1;
    if (this.#heap.length > keptHeapBytes) this.#heap = Buffer.alloc(0);
  }
}

/** Gives the engine all long texts of a vector as one string; answers where it copied it to. */
export function putHeap(bindings: typeof Bindings, vector: Bindings.Vector, heap: Uint8Array): number {
  bindings.vector_assign_string_element_len(vector, 0, heap);
  const slot = bindings.vector_get_data(vector, slotBytes);
  // Addresses have 47 bits, which a number holds.
  return Number(new DataView(slot.buffer, slot.byteOffset, slotBytes).getBigUint64(8, true));
}
