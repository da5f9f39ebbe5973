import { lstat, mkdir, readFile } from "node:fs/promises";
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

/** So many entries are handled before others get their turn. */
const batch = 2000;

/** What a long ledger came to, beside git's own files: its history takes minutes to walk. */
const cacheFile = (repository: Repository): string =>
  join(repository.commonDir, "evotrainer", "ledger.jsonl");

/** What was kept of the ledger; undefined when nothing was, or when it cannot be used. */
export async function readLedgerCache(
  repository: Repository,
): Promise<(LedgerContent & { readonly head: string }) | undefined> {
  const bytes = await readFile(cacheFile(repository)).catch(() => undefined);
  if (bytes === undefined) return undefined;
  try {
    const ends = bytes.indexOf(10);
    const { head, quarantined, ...header } = Header.parse(JSON.parse(bytes.toString("utf8", 0, ends)));
    const entries: LedgerEntry[] = [];
    for (let from = ends + 1; from < bytes.length;) {
      const to = bytes.indexOf(10, from);
      if (to < 0) return undefined;
      entries.push(LedgerEntry.parse(JSON.parse(bytes.toString("utf8", from, to))));
      from = to + 1;
      if (entries.length % batch === 0) await breathe();
    }
    return entries.length === header.entries ? { head, quarantined, entries } : undefined;
  } catch {
    // Torn, or written by another version of this program: the ledger itself is read.
    return undefined;
  }
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
