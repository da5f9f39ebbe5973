import { lstat, mkdir, readFile, rm } from "node:fs/promises";
import { dirname, join } from "node:path";
import { setImmediate as breathe } from "node:timers/promises";
import { z } from "zod";
import { LedgerEntry } from "../../../shared/ledger/ledger.ts";
import { writeFileAtomic } from "../base/files.ts";
import { unpacked } from "./entries/entryBlocks.ts";
import { EntryLogBuilder, type EntryLog } from "./entries/entryLog.ts";
import type { LedgerContent } from "./entries/ledgerContent.ts";
import type { Repository } from "./repository.ts";

/** The first line; after it the order of the entries and then the blocks, one after the other. */
const Header = z.object({
  format: z.literal(2),
  head: z.string(),
  entries: z.int().nonnegative(),
  quarantined: z.array(z.object({ path: z.string(), reason: z.string() })),
  /** Of each block how many entries it holds, and its bytes. */
  blocks: z.array(z.tuple([z.int().positive(), z.int().positive()])),
});
type Header = z.infer<typeof Header>;

/** What is kept: what the ledger came to at one of its commits. */
export type KeptContent = Omit<LedgerContent, "notices" | "isBroken"> & { readonly head: string };

/** So many blocks are looked through before others get their turn. */
const batch = 8;

/** What a long ledger came to, beside git's own files: its history takes minutes to walk. */
const cacheFile = (repository: Repository): string =>
  join(repository.commonDir, "evotrainer", "ledger.blocks");

/** What releases before kept instead. */
const formerFile = (repository: Repository): string => join(dirname(cacheFile(repository)), "ledger.jsonl");

/** What was kept of the ledger; undefined when nothing was, or when it cannot be used. */
export async function readLedgerCache(repository: Repository): Promise<KeptContent | undefined> {
  try {
    const file = await readFile(cacheFile(repository));
    const ends = file.indexOf(10);
    const header = Header.parse(JSON.parse(file.toString("utf8", 0, ends)));
    const entries = await readLog(file.subarray(ends + 1), header);
    return entries === undefined
      ? undefined
      : { head: header.head, quarantined: header.quarantined, entries };
  } catch {
    // None, torn, or written by another version of this program: the ledger itself is read.
    return undefined;
  }
}

async function readLog(kept: Buffer, { entries, blocks }: Header): Promise<EntryLog | undefined> {
  const order = orderIn(kept, entries);
  const builder = new EntryLogBuilder();
  let at = entries * Int32Array.BYTES_PER_ELEMENT;
  for (const [i, [count, bytes]] of blocks.entries()) {
    const block = kept.subarray(at, (at += bytes));
    const values = unpacked(block);
    if (values.length !== count || !values.every(isEntry)) return undefined;
    builder.addBlock(values, block);
    if (i % batch === 0) await breathe();
  }
  const isWhole = builder.length === entries && at === kept.length;
  return isWhole && order !== undefined ? builder.build(order) : undefined;
}

/** The order of the entries; undefined where it does not name each of them once. */
function orderIn(kept: Buffer, entries: number): Int32Array | undefined {
  const order = new Int32Array(entries);
  const isNamed = new Uint8Array(entries);
  for (let i = 0; i < entries; i++) {
    const slot = kept.readInt32LE(i * Int32Array.BYTES_PER_ELEMENT);
    if (isNamed[slot] !== 0) return undefined;
    isNamed[slot] = 1;
    order[i] = slot;
  }
  return order;
}

/** What JSON makes takes less memory than the copy that the schema makes, and what was kept has been through the schema. */
const isEntry = (value: unknown): value is LedgerEntry => LedgerEntry.safeParse(value).success;

/** Keeps what was read of the ledger; where that is not possible, the next reader takes as long as this one. */
export async function writeLedgerCache(
  repository: Repository,
  { head, entries, quarantined }: KeptContent,
): Promise<void> {
  const file = cacheFile(repository);
  const folder = dirname(file);
  try {
    await mkdir(folder, { recursive: true, mode: 0o700 });
    // A repository that somebody else packed may lead elsewhere.
    if (!(await lstat(folder)).isDirectory()) return;
    const header: Header = {
      format: 2,
      head,
      entries: entries.length,
      quarantined: [...quarantined],
      blocks: entries.blocks.map(({ count, bytes }) => [count, bytes.length]),
    };
    const order = Buffer.alloc(entries.length * Int32Array.BYTES_PER_ELEMENT);
    for (const [i, slot] of entries.slots.entries())
      order.writeInt32LE(slot, i * Int32Array.BYTES_PER_ELEMENT);
    const parts = [`${JSON.stringify(header)}\n`, order, ...entries.blocks.map(({ bytes }) => bytes)];
    await writeFileAtomic(file, parts, { mode: 0o600 });
    await rm(formerFile(repository), { force: true });
  } catch {
    // A full disk or a repository that may only be read.
  }
}
