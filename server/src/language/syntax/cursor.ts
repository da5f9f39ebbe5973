import {
  isMap,
  isPair,
  isScalar,
  isSeq,
  parseDocument,
  visit,
  type Node,
  type Pair,
  type Scalar,
} from "yaml";
import { documentOf, maxSpecLength, type ParsedText, type Path, type Span } from "./parseSpec.ts";

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

type Ancestors = readonly unknown[];

function pathOf(ancestors: Ancestors): Path {
  const path: (string | number)[] = [];
  for (const [i, node] of ancestors.entries()) {
    const next = ancestors[i + 1];
    if (isPair(node)) path.push(isScalar(node.key) ? String(node.key.value) : String(node.key));
    else if (isSeq(node) && next !== undefined) path.push(node.items.indexOf(next));
  }
  return path;
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
  const probe = `${text.slice(0, start)}${mark}${text.slice(end)}`;
  let cursor: Cursor | undefined;
  try {
    visit(parseDocument(probe, { prettyErrors: false, uniqueKeys: false, logLevel: "error" }), {
      Scalar(key, node, ancestors) {
        if (node.value !== mark) return undefined;
        const type = key === "key" ? "key" : "value";
        // The pair of a key is its last ancestor and names the key itself, not the mapping around it.
        const path = pathOf(type === "key" ? ancestors.slice(0, -1) : [...ancestors, node]);
        const map = ancestors.at(-2);
        cursor = {
          type,
          path,
          present: type === "key" && isMap(map) ? keysOfMap(map.items).filter((name) => name !== mark) : [],
          word: { start, end },
          ownLine: /^[\s-]*$/.test(before),
        };
        return visit.BREAK;
      },
    });
  } catch {
    // Text in the middle of being written may be beyond the parser; there is nothing to say about it then.
    return undefined;
  }
  return cursor;
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
  try {
    const document = parseDocument(`${text.slice(0, offset)}${mark}${text.slice(offset)}`, {
      prettyErrors: false,
      uniqueKeys: false,
      logLevel: "error",
    });
    let found: Probe | undefined;
    visit(document, {
      Scalar(key, node, ancestors) {
        if (typeof node.value !== "string") return undefined;
        const at = node.value.indexOf(mark);
        if (at < 0) return undefined;
        const value: unknown = document.toJS({ maxAliasCount: 100 });
        const [before, after] = [node.value.slice(0, at), node.value.slice(at + 1)];
        found = { path: pathOf([...ancestors, node]), isKey: key === "key", before, after, value };
        return visit.BREAK;
      },
    });
    return found;
  } catch {
    return undefined;
  }
}

function keysOfMap(items: readonly Pair[]): string[] {
  return items.map(({ key }) => (isScalar(key) ? String(key.value) : String(key)));
}

const holds = (node: Node | Scalar, offset: number) =>
  node.range !== undefined && node.range !== null && node.range[0] <= offset && offset <= node.range[1];

/** The key or plain value under the pointer, with the path that it belongs to. */
export function pointedAt(
  spec: ParsedText,
  offset: number,
): { readonly path: Path; readonly span: Span } | undefined {
  let found: { path: Path; span: Span } | undefined;
  const document = documentOf(spec);
  if (!document) return undefined;
  visit(document, {
    Scalar(key, node, ancestors) {
      if (!holds(node, offset) || !node.range) return undefined;
      found = { path: pathOf([...ancestors, node]), span: { start: node.range[0], end: node.range[1] } };
      return visit.BREAK;
    },
  });
  return found;
}
