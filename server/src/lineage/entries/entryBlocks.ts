import { deflateRawSync, inflateRawSync } from "node:zlib";
import type { LedgerEntry } from "../../../../shared/ledger/ledger.ts";

/** Larger entries are refused: evidence belongs into the run's folder. */
export const entryLimitBytes = 1_048_576;

/** Some entries as deflated JSON: half a million of them as objects take ten times as much memory as in blocks. */
export interface Block {
  /** The number of its first entry, counted over all blocks. */
  readonly first: number;
  readonly count: number;
  readonly bytes: Buffer;
}

/** A block is full with so many entries, or with so much text. */
const full = { entries: 256, characters: 131_072 };

/** What a block comes to at the most: it is full but for one entry, which may be as long as an entry can be. */
const longestBytes = 4 * full.characters + entryLimitBytes;

export const isFull = (entries: number, characters: number): boolean =>
  entries >= full.entries || characters >= full.characters;

/** The least effort: with more it takes half the memory, and three times as long. */
export function packed(texts: readonly string[]): Buffer {
  const deflated = deflateRawSync(texts.join(","), { level: 1 });
  // What zlib gives is the beginning of something larger.
  const exact = Buffer.allocUnsafeSlow(deflated.length);
  deflated.copy(exact);
  return exact;
}

/** The values in a block. @throws Error for what is none */
export function unpacked(bytes: Buffer): unknown[] {
  const text = inflateRawSync(bytes, { maxOutputLength: longestBytes }).toString("utf8");
  const values: unknown = JSON.parse(`[${text}]`);
  if (!Array.isArray(values)) throw new Error("A block holds a list.");
  return values;
}

/** Blocks that were asked for last, as entries: who looks at one entry mostly looks at its neighbours. */
const recent = new Map<Block, readonly LedgerEntry[]>();
const mostRecent = 48;

/** The entries of a block. */
export function entriesIn(block: Block): readonly LedgerEntry[] {
  const entries = recent.get(block) ?? checked(block);
  recent.delete(block);
  recent.set(block, entries);
  const [oldest] = recent.keys();
  if (oldest !== undefined && recent.size > mostRecent) recent.delete(oldest);
  return entries;
}

function checked(block: Block): readonly LedgerEntry[] {
  const values = unpacked(block.bytes);
  if (!areEntries(values, block)) throw new Error("A block has lost entries.");
  return values;
}

/** A block is made of entries that the schema has seen (`EntryLogBuilder`). */
const areEntries = (values: readonly unknown[], { count }: Block): values is LedgerEntry[] =>
  values.length === count;
