import { sep } from "node:path";
import { mappingEnding } from "../mapping/mapped.ts";
import type { Companions } from "./companions.ts";

/** What a plan says of files in no known format, once all were walked. */
export interface UnknownNotes {
  /** Those that belong to no file in a known format, the first ones of many. */
  readonly unrecognised: { readonly path: string; readonly reason: string }[];
  unrecognisedCount: number;
  /** Mapping files among them. */
  readonly mappings: string[];
}

const listedFiles = 100;

/** Files in no known format. Which of them are to be listed is known at the end: a file may come before its main file. */
export class UnknownFiles {
  readonly #files: { readonly path: string; readonly reason: string }[] = [];
  readonly #claimed: ReadonlySet<string>;

  /** `claimed` are files that are known to be something else, by the end of their path. */
  constructor(claimed: readonly string[]) {
    this.#claimed = new Set(claimed);
  }

  add(path: string, reason: string): void {
    if (!this.#isClaimed(path)) this.#files.push({ path, reason });
  }

  /** Adds those to the notes that do not belong to a recognised file. */
  async noteWithout(companions: Companions, notes: UnknownNotes): Promise<void> {
    for (const file of this.#files) {
      if (await companions.has(file.path)) continue;
      if (file.path.endsWith(mappingEnding)) {
        notes.mappings.push(file.path);
        continue;
      }
      notes.unrecognisedCount++;
      if (notes.unrecognised.length < listedFiles) notes.unrecognised.push(file);
    }
  }

  #isClaimed(path: string): boolean {
    if (this.#claimed.size === 0) return false;
    const parts = path.split(sep);
    return parts.some((_, i) => this.#claimed.has(parts.slice(i).join("/")));
  }
}
