import { isMap, isScalar, isSeq, type Node } from "yaml";
import { documentOf, type ParsedSpec, type Span } from "../syntax/parseSpec.ts";

export type Outline = {
  readonly name: string;
  readonly detail: string;
  readonly type: "mapping" | "list" | "text" | "number" | "boolean" | "nothing";
  readonly span: Span;
  /** The part that names it. */
  readonly selection: Span;
  readonly children: readonly Outline[];
};

const deepest = 5;
const mostSiblings = 1000;

/** The keys of a spec and what is in them, as a tree. */
export function documentSymbols(spec: ParsedSpec): Outline[] {
  return childrenOf(documentOf(spec)?.contents, spec.text, 0);
}

function childrenOf(node: unknown, text: string, depth: number): Outline[] {
  if (depth > deepest) return [];
  if (isMap(node))
    return node.items.slice(0, mostSiblings).flatMap(({ key, value }) => {
      const selection = isScalar(key) ? spanOf(key, text) : undefined;
      if (!isScalar(key) || !selection) return [];
      const end = isNode(value) ? (spanOf(value, text)?.end ?? selection.end) : selection.end;
      return [outline(String(key.value), value, { start: selection.start, end }, selection, text, depth)];
    });
  if (isSeq(node))
    return node.items.slice(0, mostSiblings).flatMap((item, i) => {
      const span = isNode(item) ? spanOf(item, text) : undefined;
      return span ? [outline(nameOf(item) ?? `${i + 1}`, item, span, span, text, depth)] : [];
    });
  return [];
}

function outline(
  name: string,
  value: unknown,
  span: Span,
  selection: Span,
  text: string,
  depth: number,
): Outline {
  // An editor drops a symbol without a name, and one whose selection is not inside its range.
  return {
    name: name === "" ? '""' : name,
    detail: typeOf(value) !== "nothing" && isScalar(value) ? shortened(String(value.value)) : "",
    type: typeOf(value),
    span: { start: span.start, end: Math.max(span.end, selection.end) },
    selection,
    children: childrenOf(value, text, depth + 1),
  };
}

/** What an element of a list is known by. */
function nameOf(item: unknown): string | undefined {
  if (isScalar(item)) return shortened(String(item.value));
  if (!isMap(item)) return undefined;
  for (const key of ["name", "path", "file", "metric", "rollout", "factor", "id"]) {
    const value = item.get(key);
    if (typeof value === "string") return shortened(value);
  }
  return undefined;
}

const shortened = (text: string) => {
  const line = text.split("\n", 1)[0]?.trim() ?? "";
  return line.length > 60 ? `${line.slice(0, 59)}…` : line;
};

function typeOf(value: unknown): Outline["type"] {
  if (isMap(value)) return "mapping";
  if (isSeq(value)) return "list";
  if (!isScalar(value) || value.value === null) return "nothing";
  return typeof value.value === "number" ? "number" : typeof value.value === "boolean" ? "boolean" : "text";
}

const isNode = (value: unknown): value is Node => isMap(value) || isSeq(value) || isScalar(value);

/** Without the white space behind a block. */
function spanOf({ range }: Node, text: string): Span | undefined {
  if (!range) return undefined;
  const [start, end] = range;
  return { start, end: start + text.slice(start, end).trimEnd().length };
}
