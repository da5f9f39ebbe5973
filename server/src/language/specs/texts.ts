import { realpathSync, readFileSync, statSync, type Stats } from "node:fs";
import { sep } from "node:path";
import { configTree, placedFormat } from "../../project/configs/configText.ts";
import { maxSpecLength, parseText, type ParsedText } from "../syntax/parseSpec.ts";

type Cached<T> = { readonly stamp: string; readonly value: T };

/** Longer files are not looked into: a list of items may be long, and an answer must not wait for it. */
const maxFileBytes = 8_000_000;

const statOf = (path: string): Stats | undefined => statSync(path, { throwIfNoEntry: false });
const stampOf = ({ mtimeMs, size, ino }: Stats) => `${mtimeMs}:${size}:${ino}`;
export const isInside = (root: string, path: string) => path === root || path.startsWith(root + sep);

/**
 * The texts of files. What is open in the editor goes before what is on disk; what is on disk is looked at again whenever
 * it is asked for, unless every change is told. Reads only.
 */
export class Texts {
  readonly #open = new Map<string, () => ParsedText>();
  readonly #parsed = new Map<string, Cached<ParsedText>>();
  readonly #plain = new Map<string, Cached<string>>();
  #told: readonly string[] = [];
  readonly #held = new Map<string, ParsedText | undefined>();
  readonly #inside = new Set<string>();

  /** From now on every change in these folders is told by `forget`: their files are not looked at in between. */
  changesAreTold(folders: readonly string[]): void {
    this.#told = folders;
    this.#held.clear();
  }

  open(path: string, text: string): void {
    let parsed: ParsedText | undefined;
    // Parsed when it is asked for: of what is typed in one go only the last text is.
    this.#open.set(path, () => (parsed ??= parsedAs(path, text)));
  }

  close(path: string): void {
    this.#open.delete(path);
    this.#held.delete(path);
  }

  get openPaths(): Iterable<string> {
    return this.#open.keys();
  }

  isOpen(path: string): boolean {
    return this.#open.has(path);
  }

  /** A file may have changed on disk. */
  forget(path: string): void {
    this.#held.delete(path);
    this.#inside.delete(path);
  }

  /** Any file may have. */
  forgetAll(): void {
    this.#held.clear();
    this.#inside.clear();
  }

  /** A file is gone for good. */
  drop(path: string): void {
    this.#parsed.delete(path);
    this.#plain.delete(path);
    this.#held.delete(path);
  }

  /** The text at a path, parsed; undefined when it is missing, no regular file, or longer than a spec may be. */
  parsed(path: string): ParsedText | undefined {
    const open = this.#open.get(path);
    if (open) return open();
    const held = this.#held.get(path);
    if (held !== undefined || this.#held.has(path)) return held;
    const text = this.#onDisk(this.#parsed, path, 4 * maxSpecLength, (read) => parsedAs(path, read));
    if (this.#told.some((folder) => isInside(folder, path))) this.#held.set(path, text);
    return text;
  }

  /** Neither `..` nor a link leads out of the folder: a spec of a stranger must not make us read other files. */
  parsedInside(root: string, path: string): ParsedText | undefined {
    if (!isInside(root, path)) return undefined;
    const open = this.#open.get(path);
    if (open) return open();
    // Where a file really lies was looked at when it was taken in.
    if (this.#inside.has(path) && this.#held.has(path)) return this.#held.get(path);
    if (!staysInside(root, path)) return undefined;
    this.#inside.add(path);
    return this.parsed(path);
  }

  /** The same for a file of any length up to 8 MB, as it is. */
  plainInside(root: string, path: string): string | undefined {
    const open = isInside(root, path) ? this.#open.get(path) : undefined;
    if (open) return open().text;
    return staysInside(root, path)
      ? this.#onDisk(this.#plain, path, maxFileBytes, (text) => text)
      : undefined;
  }

  #onDisk<T>(
    cache: Map<string, Cached<T>>,
    path: string,
    maxBytes: number,
    make: (text: string) => T,
  ): T | undefined {
    try {
      const stat = statOf(path);
      if (!stat?.isFile() || stat.size > maxBytes) return undefined;
      const stamp = stampOf(stat);
      const cached = cache.get(path);
      if (cached?.stamp === stamp) return cached.value;
      const value = make(readFileSync(path, "utf8"));
      cache.set(path, { stamp, value });
      return value;
    } catch {
      // Gone or unreadable between two calls: for a reader the same as missing.
      return undefined;
    }
  }
}

/** A launch script or TOML has values as well, with no places that a rule could point to. */
const parsedAs = (path: string, text: string): ParsedText =>
  placedFormat(path) === undefined
    ? parseText(text)
    : { text, tree: undefined, value: configTree(path, text), problems: [] };

function staysInside(root: string, path: string): boolean {
  if (!isInside(root, path)) return false;
  try {
    return isInside(realpathSync(root), realpathSync(path));
  } catch {
    return false;
  }
}
