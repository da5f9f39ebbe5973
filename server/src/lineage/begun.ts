import { ledgerPath } from "./entries/ledgerPath.ts";
import { entriesUnder, ledgerRef } from "./ledger.ts";
import { readLines } from "./lines.ts";
import { readRef } from "./refs.ts";
import type { Repository } from "./repository.ts";
import { versionIds } from "./trust/signedEntry.ts";

const prefix = /\/version=3a[^/]*$/;

/** Which versions the ledger has at one commit. */
export interface Begun {
  readonly tip: string | undefined;
  /** Files of the ledger that may say so of a version. */
  readonly files: ReadonlySet<string>;
}

/** Without reading the entries: who asks about thousands of names finds hardly any of them. `known` is used where it still holds. */
export async function readBegun(repository: Repository, known?: Begun): Promise<Begun> {
  const tip = await readRef(repository, ledgerRef);
  if (known !== undefined && known.tip === tip) return known;
  const files = new Set<string>();
  if (tip !== undefined)
    await readLines(repository.git, ["ls-tree", "-r", "--name-only", tip], (bytes, from, to) => {
      const path = bytes.toString("utf8", from, to);
      if (prefix.test(path)) files.add(path);
    });
  return { tip, files };
}

/** Whether a version of that name is among them which no import of a lineage brought. */
export async function isBegun(repository: Repository, begun: Begun, version: string): Promise<boolean> {
  const ids = versionIds(version);
  if (!ids.some((id) => begun.files.has(ledgerPath(id)))) return false;
  const found = await entriesUnder(repository, ids);
  return [...found.values()].some((entry) => entry.type === "version" && entry.origin === undefined);
}
