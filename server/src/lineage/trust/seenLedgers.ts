import { hash } from "node:crypto";
import { readFileSync } from "node:fs";
import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import { z } from "zod";
import { writeFileAtomic } from "../../base/files.ts";
import { makeTrustFolder, trustFolder } from "./userFolder.ts";

/** What this user's engines last saw of the ledger of a repository. */
const SeenLedger = z.object({
  /** The git folder, for who looks into the file. */
  repository: z.string(),
  /** The first commit of the user's branch: another repository may come to lie in the same place. */
  root: z.string(),
  head: z.string(),
  entries: z.int().nonnegative(),
  at: z.string(),
  /** So many entries that cannot be used were accepted as they are. */
  accepted: z.int().nonnegative().default(0),
});
export type SeenLedger = z.infer<typeof SeenLedger>;

const fileOf = (folder: string, commonDir: string): string =>
  join(folder, "seen", `${hash("sha256", commonDir).slice(0, 32)}.json`);

/** What was last seen; undefined where nothing was, or where that cannot be read. */
export function seenLedger(commonDir: string): SeenLedger | undefined {
  try {
    return SeenLedger.safeParse(JSON.parse(readFileSync(fileOf(trustFolder(), commonDir), "utf8"))).data;
  } catch {
    return undefined;
  }
}

/** Keeps what was seen. Where the folder cannot be written, changes of the ledger are not noticed. */
export async function keepSeen(seen: SeenLedger): Promise<void> {
  try {
    const path = fileOf(makeTrustFolder(), seen.repository);
    await mkdir(join(path, ".."), { recursive: true, mode: 0o700 });
    await writeFileAtomic(path, `${JSON.stringify(seen)}\n`, { mode: 0o600 });
  } catch {
    // A home folder that may only be read: who only reads a lineage needs no key either.
  }
}
