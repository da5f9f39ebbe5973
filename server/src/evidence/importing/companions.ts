import { basename, dirname, join } from "node:path";
import type { Companion, ForeignFile } from "../adapters/parts/adapter.ts";
import { foreignFile } from "./foreignFile.ts";

interface Folder {
  readonly exact: Map<string, Companion>;
  readonly patterns: Map<string, Companion>;
}

/** The files that recognised ones have beside them, held by the folder that their paths start from. */
export class Companions {
  readonly #folders = new Map<string, Folder>();
  readonly #expressions = new Map<string, RegExp>();
  #depth = 0;

  /** Takes in what belongs to a recognised file. */
  add(file: ForeignFile, companions: readonly Companion[]): void {
    for (const companion of companions) {
      const parts = pathOf(companion)
        .split("/")
        .filter((part) => part !== ".");
      let path = dirname(file.path);
      for (let next = parts[0]; parts.length > 1 && next?.includes("*") === false; next = parts[0]) {
        path = join(path, next);
        parts.shift();
      }
      const folder = this.#folders.get(path) ?? { exact: new Map(), patterns: new Map() };
      this.#folders.set(path, folder);
      const rest = parts.join("/");
      (rest.includes("*") ? folder.patterns : folder.exact).set(rest, companion);
      this.#depth = Math.max(this.#depth, parts.length);
    }
  }

  /** Whether a file that is in no known format belongs to one that is. */
  async has(path: string): Promise<boolean> {
    let [folder, rest] = [dirname(path), basename(path)];
    for (let depth = 1; depth <= this.#depth; depth++) {
      const found = this.#folders.get(folder);
      if (found !== undefined && (await this.#isIn(found, rest, path))) return true;
      [folder, rest] = [dirname(folder), `${basename(folder)}/${rest}`];
    }
    return false;
  }

  async #isIn({ exact, patterns }: Folder, rest: string, path: string): Promise<boolean> {
    const named = exact.get(rest);
    if (named !== undefined && (await holds(named, path))) return true;
    for (const [pattern, companion] of patterns)
      if (this.#expression(pattern).test(rest) && (await holds(companion, path))) return true;
    return false;
  }

  #expression(pattern: string): RegExp {
    const known = this.#expressions.get(pattern);
    if (known !== undefined) return known;
    const parts = pattern.split("*").map((part) => part.replace(/[\\^$.|?+()[\]{}]/g, "\\$&"));
    const made = new RegExp(`^${parts.join("[^/]*")}$`);
    this.#expressions.set(pattern, made);
    return made;
  }
}

const pathOf = (companion: Companion): string => (typeof companion === "string" ? companion : companion.path);

async function holds(companion: Companion, path: string): Promise<boolean> {
  if (typeof companion === "string") return true;
  try {
    return await companion.holds(await foreignFile(path));
  } catch {
    // It was read a moment ago; if it cannot be now, it is listed.
    return false;
  }
}
