import type { ParsedSpec } from "../syntax/parseSpec.ts";
import type { Located, SymbolKind, Symbols } from "./occurrence.ts";
import { occurrencesIn } from "./occurrencesIn.ts";

type File = { readonly root: string | undefined; readonly occurrences: readonly Located[] };
const keyOf = (kind: SymbolKind, name: string): string => `${kind}\n${name}`;
const byPlace = (a: Located, b: Located) =>
  a.file < b.file ? -1 : a.file > b.file ? 1 : a.span.start - b.span.start;

/**
 * Where each name stands, over the specs of a workspace: what one edit touches is found without looking at the others.
 * It holds what it was told last of every file.
 */
export class SymbolIndex {
  readonly #files = new Map<string, File>();
  /** By project and name: the files that have it. */
  readonly #byName = new Map<string, Map<string, Set<string>>>();

  /** Takes in what a spec says now; undefined for one that is gone. */
  update(file: string, root: string | undefined, spec: ParsedSpec | undefined): void {
    const old = this.#files.get(file);
    const occurrences = spec ? occurrencesIn(spec).map((found) => ({ ...found, file })) : [];
    for (const { kind, name } of old?.occurrences ?? [])
      this.#names(old?.root).get(keyOf(kind, name))?.delete(file);
    if (spec) this.#files.set(file, { root, occurrences });
    else this.#files.delete(file);
    const names = this.#names(root);
    for (const { kind, name } of occurrences) {
      const key = keyOf(kind, name);
      const files = names.get(key) ?? new Set();
      names.set(key, files.add(file));
    }
  }

  /** The files that share a name with a file, and those that name it by its path. */
  related(file: string): Set<string> {
    const { root, occurrences } = this.#files.get(file) ?? { root: undefined, occurrences: [] };
    const names = this.#names(root);
    const keys = occurrences.map(({ kind, name }) => keyOf(kind, name));
    return new Set(keys.flatMap((key) => [...(names.get(key) ?? [])]));
  }

  /** The files of a project that name a file by its path in the project. */
  naming(root: string, path: string): Iterable<string> {
    return this.#names(root).get(keyOf("file", path)) ?? [];
  }

  /** What a file defines, to be compared. */
  definitionsOf(file: string): string {
    const found = this.#files.get(file)?.occurrences ?? [];
    return found
      .filter(({ role }) => role === "definition")
      .map(({ kind, name }) => keyOf(kind, name))
      .sort()
      .join();
  }

  /** The names of one project; a file outside of every project has only itself. */
  in(root: string | undefined, file: string): Symbols {
    if (root === undefined) return symbolsOf(() => this.#files.get(file)?.occurrences ?? []);
    const names = this.#names(root);
    const files = (key: string) => [...(names.get(key) ?? [])];
    const within = (kind: SymbolKind) =>
      [...names].filter(([key, found]) => found.size > 0 && key.startsWith(`${kind}\n`));
    const nameIn = (key: string) => key.slice(key.indexOf("\n") + 1);
    const located = (key: string): Located[] =>
      files(key)
        .flatMap((path) => this.#files.get(path)?.occurrences ?? [])
        .filter((o) => keyOf(o.kind, o.name) === key)
        .sort(byPlace);
    return {
      of: (kind, name) => located(keyOf(kind, name)),
      known: (kind) =>
        within(kind)
          .map(([key]) => nameIn(key))
          .sort(),
      defined: (kind) =>
        within(kind)
          .map(([key]) => key)
          .filter((key) => located(key).some(({ role }) => role === "definition"))
          .map(nameIn)
          .sort(),
      definitions: () =>
        [...this.#files.values()]
          .filter((f) => f.root === root)
          .flatMap(({ occurrences }) => occurrences.filter(({ role }) => role === "definition"))
          .sort(byPlace),
    };
  }

  #names(root: string | undefined): Map<string, Set<string>> {
    const names = this.#byName.get(root ?? "") ?? new Map<string, Set<string>>();
    this.#byName.set(root ?? "", names);
    return names;
  }
}

/** The names of a list of occurrences. */
export function symbolsOf(all: () => readonly Located[]): Symbols {
  const names = (kind: SymbolKind, role?: Located["role"]) =>
    [
      ...new Set(
        all()
          .filter((o) => o.kind === kind && (role === undefined || o.role === role))
          .map(({ name }) => name),
      ),
    ].sort();
  return {
    of: (kind, name) => all().filter((o) => o.kind === kind && o.name === name),
    defined: (kind) => names(kind, "definition"),
    known: (kind) => names(kind),
    definitions: () => all().filter(({ role }) => role === "definition"),
  };
}
