import { createHash } from "node:crypto";
import { basename, isAbsolute, relative } from "node:path";
import type { Store } from "../store/database.ts";
import { readRegistrations, type SourceKey } from "../store/registrations.ts";
import { filePath } from "../store/sources.ts";

/**
 * What the ids of records without one begin with, so that they differ from those of other files of the run: the path
 * inside the run's folder. Of files that are called the same the first has that name, and the others have a hash of their
 * path behind it, which is registered with them.
 */
export class Stems {
  readonly #store: Store;
  /** By the path of the run and the stem: the registered file that has it. */
  #owners: Map<string, Map<string, string>> | undefined;

  constructor(store: Store) {
    this.#store = store;
  }

  /** The stem of a file, and the same with its registration where it is not the one of its name. */
  async of<K extends SourceKey>(source: K): Promise<{ readonly stem: string; readonly source: K }> {
    const { imported } = source;
    const stem = stemIn(this.#store, source);
    if (imported === undefined || stem === "" || source.kind !== "rollouts") return { stem, source };
    this.#owners ??= await this.#readOwners();
    const owner = claim(this.#owners, imported.runPath, stem, source.path);
    if (owner === source.path) return { stem, source };
    const hash = createHash("sha256").update(source.path).digest("hex").slice(0, 8);
    const own = stem.replace(/-$/, `.${hash}-`);
    return { stem: own, source: { ...source, imported: { ...imported, stem: own } } };
  }

  async #readOwners(): Promise<Map<string, Map<string, string>>> {
    const owners = new Map<string, Map<string, string>>();
    for (const source of await readRegistrations(this.#store.path))
      if (source.imported !== undefined && source.kind === "rollouts")
        claim(owners, source.imported.runPath, stemIn(this.#store, source), source.path);
    return owners;
  }
}

function claim(
  owners: Map<string, Map<string, string>>,
  runPath: string,
  stem: string,
  path: string,
): string {
  const inRun = owners.get(runPath) ?? new Map<string, string>();
  owners.set(runPath, inRun);
  const owner = inRun.get(stem) ?? path;
  inRun.set(stem, owner);
  return owner;
}

function stemIn(store: Store, { path: stored, imported }: SourceKey): string {
  const { runPath = "", stem } = imported ?? {};
  if (stem !== undefined) return stem;
  const path = filePath(store, stored);
  if (runPath === path) return "";
  const inside = relative(runPath, path);
  const name = isAbsolute(runPath) && !inside.startsWith("..") ? inside : basename(path);
  return `${name.replace(/(\.[a-z]+)+$/i, "").replaceAll(/[\\/]/g, ".")}-`;
}
