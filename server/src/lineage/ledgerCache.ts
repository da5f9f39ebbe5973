import { createReadStream } from "node:fs";
import { lstat, mkdir } from "node:fs/promises";
import { join } from "node:path";
import { setImmediate as breathe } from "node:timers/promises";
import { z } from "zod";
import { LedgerEntry } from "../../../shared/ledger/ledger.ts";
import { writeFileAtomic } from "../base/files.ts";
import type { LedgerContent } from "./ledgerContent.ts";
import type { Repository } from "./repository.ts";

const Header = z.object({
  format: z.literal(1),
  head: z.string(),
  entries: z.int().nonnegative(),
  quarantined: z.array(z.object({ path: z.string(), reason: z.string() })),
});

/** So many entries are written at a time. */
const batch = 2000;
const chunkBytes = 262_144;

/** What a long ledger came to, beside git's own files: its history takes minutes to walk. */
const cacheFile = (repository: Repository): string =>
  join(repository.commonDir, "evotrainer", "ledger.jsonl");

/** What was kept of the ledger; undefined when nothing was, or when it cannot be used. */
export async function readLedgerCache(
  repository: Repository,
): Promise<(LedgerContent & { readonly head: string }) | undefined> {
  let header: z.infer<typeof Header> | undefined;
  const entries: LedgerEntry[] = [];
  try {
    for await (const some of linesOf(cacheFile(repository)))
      for (const line of some) {
        const value: unknown = JSON.parse(line);
        if (header === undefined) header = Header.parse(value);
        else if (isEntry(value)) entries.push(value);
        else return undefined;
      }
  } catch {
    // None, torn, or written by another version of this program: the ledger itself is read.
    return undefined;
  }
  if (entries.length !== header?.entries) return undefined;
  return { head: header.head, quarantined: header.quarantined, entries };
}

/** What JSON makes takes less memory than the copy that the schema makes, and what was kept has been through the schema. */
const isEntry = (value: unknown): value is LedgerEntry => LedgerEntry.safeParse(value).success;

/** The lines of a file, some at a time: as a whole it would take as much memory as all that is in it. */
async function* linesOf(file: string): AsyncGenerator<readonly string[]> {
  let rest = Buffer.alloc(0);
  const chunks: AsyncIterable<Buffer> = createReadStream(file, { highWaterMark: chunkBytes });
  for await (const chunk of chunks) {
    const whole = Buffer.concat([rest, chunk]);
    const ends = whole.lastIndexOf(10);
    rest = whole.subarray(ends + 1);
    if (ends >= 0) yield whole.toString("utf8", 0, ends).split("\n");
    // Others get their turn.
    await breathe();
  }
  if (rest.length > 0) throw new Error("The last line is torn.");
}

/** Keeps what was read of the ledger; where that is not possible, the next reader takes as long as this one. */
export async function writeLedgerCache(
  repository: Repository,
  { head, entries, quarantined }: LedgerContent & { readonly head: string },
): Promise<void> {
  const file = cacheFile(repository);
  const folder = join(file, "..");
  try {
    await mkdir(folder, { recursive: true, mode: 0o700 });
    // A repository that somebody else packed may lead elsewhere.
    if (!(await lstat(folder)).isDirectory()) return;
    const header: z.infer<typeof Header> = {
      format: 1,
      head,
      entries: entries.length,
      quarantined: [...quarantined],
    };
    await writeFileAtomic(file, lines(header, entries), { mode: 0o600 });
  } catch {
    // A full disk or a repository that may only be read.
  }
}

/** Some thousand lines at a time: all of them may be longer than a string can be. */
function* lines(header: z.infer<typeof Header>, entries: readonly LedgerEntry[]): Generator<string> {
  yield `${JSON.stringify(header)}\n`;
  for (let i = 0; i < entries.length; i += batch)
    yield entries
      .slice(i, i + batch)
      .map((entry) => `${JSON.stringify(entry)}\n`)
      .join("");
}
