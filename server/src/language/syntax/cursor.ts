import type { YamlMap, YamlScalar, YamlTree } from "../../base/yamlTree.ts";
import { maxSpecLength, parseText, treeIn, type ParsedText, type Path, type Span } from "./parseSpec.ts";

/** What is being written at a cursor: a key of the mapping at `path`, or the value at `path`. */
export type Cursor = {
  readonly type: "key" | "value";
  readonly path: Path;
  /** Keys that the mapping has already, without the one being written. */
  readonly present: readonly string[];
  /** The word that a completion replaces. */
  readonly word: Span;
  /** For a value: it stands on a line below its key, so a mapping may begin here. */
  readonly ownLine: boolean;
};

/** Stands for the word at the cursor while the text is parsed: a character that YAML allows and nobody writes. */
const mark = "\uE000";
const wordPart = /[A-Za-z0-9_./+-]/;

/** A text or number with the path that it belongs to; for a key, that of its value. */
type Found = {
  readonly node: YamlScalar;
  readonly path: Path;
  /** The mapping that it is a key of. */
  readonly keyOf: YamlMap | undefined;
};

/** The first one that is looked for, in the order of the text. */
function find(
  node: YamlTree | undefined,
  wanted: (node: YamlScalar) => boolean,
  path: Path = [],
  keyOf?: YamlMap,
): Found | undefined {
  if (node?.type === "scalar") return wanted(node) ? { node, path, keyOf } : undefined;
  if (node?.type === "map")
    for (const { key, value } of node.pairs) {
      const at = [...path, key?.type === "scalar" ? String(key.value) : "?"];
      const found = find(key, wanted, at, node) ?? find(value, wanted, at);
      if (found) return found;
    }
  if (node?.type === "list")
    for (const [i, item] of node.items.entries()) {
      const found = find(item, wanted, [...path, i]);
      if (found) return found;
    }
  return undefined;
}

/** Where the cursor is; undefined inside comments, block texts and other places that have no name. */
export function cursorAt(text: string, offset: number): Cursor | undefined {
  if (text.length > maxSpecLength) return undefined;
  let start = offset;
  let end = offset;
  while (start > 0 && wordPart.test(text.charAt(start - 1))) start--;
  while (end < text.length && wordPart.test(text.charAt(end))) end++;
  const lineStart = text.lastIndexOf("\n", start - 1) + 1;
  const before = text.slice(lineStart, start);
  // Text in the middle of being written may be beyond the parser; there is nothing to say about it then.
  const found = find(
    treeIn(`${text.slice(0, start)}${mark}${text.slice(end)}`),
    ({ value }) => value === mark,
  );
  if (!found) return undefined;
  const { path, keyOf } = found;
  return {
    type: keyOf ? "key" : "value",
    // A key names what is in it, not the mapping around it.
    path: keyOf ? path.slice(0, -1) : path,
    present: keyOf ? keysOfMap(keyOf).filter((name) => name !== mark) : [],
    word: { start, end },
    ownLine: /^[\s-]*$/.test(before),
  };
}

/** The text value at a cursor, cut in two there. */
export type Probe = {
  readonly path: Path;
  readonly isKey: boolean;
  readonly before: string;
  readonly after: string;
  /** The whole document as it is understood around the cursor. */
  readonly value: unknown;
};

/** What is written in the value at a cursor, before it and behind it; undefined where no value can stand. */
export function probe(text: string, offset: number): Probe | undefined {
  if (text.length > maxSpecLength) return undefined;
  const { tree, value } = parseText(`${text.slice(0, offset)}${mark}${text.slice(offset)}`);
  const found = find(tree, (node) => typeof node.value === "string" && node.value.includes(mark));
  if (!found) return undefined;
  const written = String(found.node.value);
  const at = written.indexOf(mark);
  return {
    path: found.path,
    isKey: found.keyOf !== undefined,
    before: written.slice(0, at),
    after: written.slice(at + 1),
    value,
  };
}

function keysOfMap({ pairs }: YamlMap): string[] {
  return pairs.flatMap(({ key }) => (key?.type === "scalar" ? [String(key.value)] : []));
}

/** The key or plain value under the pointer, with the path that it belongs to. */
export function pointedAt(
  spec: ParsedText,
  offset: number,
): { readonly path: Path; readonly span: Span } | undefined {
  const found = find(spec.tree, ({ start, end }) => start <= offset && offset <= end);
  return found && { path: found.path, span: { start: found.node.start, end: found.node.end } };
}
