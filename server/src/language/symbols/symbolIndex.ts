import type { ParsedSpec } from "../syntax/parseSpec.ts";
import type { Located, Occurrence, SymbolKind, Symbols } from "./occurrence.ts";
import { occurrencesIn } from "./occurrencesIn.ts";

type File = { readonly root: string | undefined; readonly occurrences: readonly Occurrence[] };
type Defined = { readonly counts: Map<string, number>; sorted: readonly string[] | undefined };
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
  /** By project and kind: how often each name is defined, and the names sorted when they were asked for. */
  readonly #defined = new Map<string, Defined>();

  /** Takes in what a spec says now; undefined for one that is gone. */
  update(file: string, root: string | undefined, spec: ParsedSpec | undefined): void {
    const old = this.#files.get(file);
    const occurrences = spec ? occurrencesIn(spec) : [];
    for (const { kind, name, role } of old?.occurrences ?? []) {
      this.#names(old?.root).get(keyOf(kind, name))?.delete(file);
      if (role === "definition") this.#define(old?.root, kind, name, -1);
    }
    if (spec) this.#files.set(file, { root, occurrences });
    else this.#files.delete(file);
    const names = this.#names(root);
    for (const { kind, name, role } of occurrences) {
      if (role === "definition") this.#define(root, kind, name, 1);
      const key = keyOf(kind, name);
      const files = names.get(key);
      if (files) files.add(file);
      else names.set(key, new Set([file]));
    }
  }

  /** The names of one project; a file outside of every project has only itself. */
  in(root: string | undefined, file: string): Symbols {
    if (root === undefined) return symbolsOf(() => this.#located(file));
    const names = this.#names(root);
    const files = (key: string) => [...(names.get(key) ?? [])];
    const within = (kind: SymbolKind) =>
      [...names].filter(([key, found]) => found.size > 0 && key.startsWith(`${kind}\n`));
    const nameIn = (key: string) => key.slice(key.indexOf("\n") + 1);
    const located = (key: string): Located[] =>
      files(key)
        .flatMap((path) => this.#located(path, (o) => keyOf(o.kind, o.name) === key))
        .sort(byPlace);
    return {
      of: (kind, name) => located(keyOf(kind, name)),
      known: (kind) =>
        within(kind)
          .map(([key]) => nameIn(key))
          .sort(),
      defined: (kind) => {
        const defined = this.#definedIn(root, kind);
        return (defined.sorted ??= [...defined.counts.keys()].sort());
      },
      definitions: () =>
        [...this.#files]
          .filter(([, found]) => found.root === root)
          .flatMap(([path]) => this.#located(path, ({ role }) => role === "definition"))
          .sort(byPlace),
    };
  }

  #located(file: string, wanted: (occurrence: Occurrence) => boolean = () => true): Located[] {
    const found = this.#files.get(file)?.occurrences ?? [];
    return found.filter(wanted).map((occurrence) => ({ ...occurrence, file }));
  }

  #define(root: string | undefined, kind: SymbolKind, name: string, by: 1 | -1): void {
    const defined = this.#definedIn(root, kind);
    const before = defined.counts.get(name) ?? 0;
    if (before + by > 0) defined.counts.set(name, before + by);
    else defined.counts.delete(name);
    if (before === 0 || before + by === 0) defined.sorted = undefined;
  }

  #definedIn(root: string | undefined, kind: SymbolKind): Defined {
    const key = keyOf(kind, root ?? "");
    const found = this.#defined.get(key) ?? { counts: new Map<string, number>(), sorted: undefined };
    this.#defined.set(key, found);
    return found;
  }

  #names(root: string | undefined): Map<string, Set<string>> {
    const names = this.#byName.get(root ?? "") ?? new Map<string, Set<string>>();
    this.#byName.set(root ?? "", names);
    return names;
  }
}

/** The names of a list of occurrences. */
function symbolsOf(all: () => readonly Located[]): Symbols {
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
