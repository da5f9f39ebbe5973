import type { Path, Span } from "../syntax/parseSpec.ts";

/** What can be named in one spec and meant in another. */
export const symbolKinds = [
  "label",
  "metric",
  "factor",
  "component",
  "param",
  "intervention",
  "skill",
  "reward",
  "project",
  /** A file of the project, by its path in it. */
  "file",
] as const;
export type SymbolKind = (typeof symbolKinds)[number];

/** A name in a text. A place that may mean either of two kinds has an occurrence for each. */
export type Occurrence = {
  readonly kind: SymbolKind;
  readonly name: string;
  readonly role: "definition" | "use";
  readonly span: Span;
  /** Of the value or key that it stands in. */
  readonly path: Path;
};

/** An occurrence and the file that it is in. */
export type Located = Occurrence & { readonly file: string };

/** The names of one project, over all of its specs. */
export type Symbols = {
  /** Every occurrence of a name, by file and then by place. */
  readonly of: (kind: SymbolKind, name: string) => readonly Located[];
  /** Names that are defined in a spec, sorted. */
  readonly defined: (kind: SymbolKind) => readonly string[];
  /** Names that occur at all, sorted. */
  readonly known: (kind: SymbolKind) => readonly string[];
  /** Every definition. */
  readonly definitions: () => readonly Located[];
};

export const noSymbols: Symbols = { of: () => [], defined: () => [], known: () => [], definitions: () => [] };
