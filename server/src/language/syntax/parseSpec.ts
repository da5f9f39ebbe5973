import {
  isAlias,
  isMap,
  isNode,
  isScalar,
  isSeq,
  parseDocument,
  visit,
  type Document,
  type Node,
} from "yaml";
import type { SpecKind } from "./specKind.ts";

/** Offsets into the text, end excluded. */
export type Span = { readonly start: number; readonly end: number };
export type Path = readonly (string | number)[];
export type SyntaxProblem = { readonly span: Span; readonly message: string };

/** A YAML text with the places of its values; `value` is undefined when it could not be read at all. */
export type ParsedText = {
  readonly text: string;
  readonly document: Document.Parsed | undefined;
  readonly value: unknown;
  readonly problems: readonly SyntaxProblem[];
};
export type ParsedSpec = ParsedText & { readonly kind: SpecKind };

/** Longer texts are refused: a spec is written by hand, and parsing time must stay bounded. */
export const maxSpecLength = 1_000_000;

/** More problems than these are not told: nobody reads them, and an editor has to draw each. */
const maxProblems = 100;

const firstLine = (text: string): Span => {
  const end = text.indexOf("\n");
  return { start: 0, end: end < 0 ? text.length : end };
};

/** Parses YAML; never throws, broken input gives problems and what could be understood. */
export function parseText(text: string): ParsedText {
  const failed = (message: string): ParsedText => ({
    text,
    document: undefined,
    value: undefined,
    problems: [{ span: firstLine(text), message }],
  });
  if (text.length > maxSpecLength)
    return failed("This file is longer than 1,000,000 characters and is not read.");
  try {
    const document = parseDocument(text, {
      prettyErrors: false,
      // Looked for below: the library compares every key with every other one, which takes minutes in a long file.
      uniqueKeys: false,
      merge: false,
      logLevel: "error",
    });
    const problems = document.errors.slice(0, maxProblems).map(({ pos, message }) => ({
      span: { start: pos[0], end: Math.max(pos[1], pos[0] + 1) },
      message: oneSentence(message),
    }));
    for (const span of repeatedKeys(document.contents)) {
      if (problems.length >= maxProblems) break;
      problems.push({ span, message: "Map keys must be unique." });
    }
    const [whole, circles] = text.includes("*") ? withoutCircles(document) : [document, []];
    const message = "An alias cannot stand for what it is in itself.";
    problems.push(...circles.map((span) => ({ span, message })));
    // Aliases are counted: a few lines of them can stand for gigabytes.
    const value: unknown = whole.toJS({ maxAliasCount: 100 });
    return { text, document, value, problems };
  } catch (error) {
    return failed(
      `This is not readable as YAML: ${oneSentence(error instanceof Error ? error.message : String(error))}`,
    );
  }
}

/** Whoever walks through a value that holds itself never comes to an end: such aliases become null. */
function withoutCircles(document: Document.Parsed): readonly [Document, readonly Span[]] {
  const found: Span[] = [];
  const cut = document.clone();
  visit(cut, {
    Alias(_, alias, ancestors) {
      const target = alias.resolve(cut);
      if (!target || !ancestors.some((above) => above === target)) return undefined;
      found.push(spanOf(alias) ?? { start: 0, end: 0 });
      return cut.createNode(null);
    },
  });
  return found.length > 0 ? [cut, found] : [document, found];
}

/** The keys that their mapping has already. */
function* repeatedKeys(root: unknown): Generator<Span> {
  const nodes: unknown[] = [root];
  for (let node = nodes.pop(); node !== undefined; node = nodes.pop()) {
    if (isSeq(node)) for (const item of node.items) if (isNode(item)) nodes.push(item);
    if (!isMap(node)) continue;
    const seen = new Set<unknown>();
    for (const { key, value } of node.items) {
      if (isNode(value)) nodes.push(value);
      if (!isScalar(key)) continue;
      const span = seen.has(key.value) ? spanOf(key) : undefined;
      seen.add(key.value);
      if (span) yield span;
    }
  }
}

export function parseSpec(kind: SpecKind, text: string): ParsedSpec {
  return { kind, ...parseText(text) };
}

function oneSentence(message: string): string {
  const line = message.split("\n", 1)[0]?.trim() ?? "";
  return line.endsWith(".") ? line : `${line}.`;
}

const spanOf = (node: Node | null | undefined): Span | undefined =>
  node?.range ? { start: node.range[0], end: node.range[1] } : undefined;

/** Where the value at a path stands, and the key that introduces it; undefined parts do not exist in the text. */
export function locate(spec: ParsedText, path: Path): { readonly key?: Span; readonly value?: Span } {
  let node: unknown = spec.document?.contents;
  let key: Span | undefined;
  for (const step of path) {
    key = undefined;
    if (isAlias(node) && spec.document) node = node.resolve(spec.document);
    if (isMap(node)) {
      const pair = node.items.find((item) => isScalar(item.key) && String(item.key.value) === String(step));
      if (!pair) return {};
      key = isScalar(pair.key) ? spanOf(pair.key) : undefined;
      node = pair.value;
    } else if (isSeq(node)) {
      node = node.items[Number(step)];
    } else return {};
    if (node === undefined) return {};
  }
  const value = isMap(node) || isSeq(node) || isScalar(node) || isAlias(node) ? spanOf(node) : undefined;
  return { ...(key && { key }), ...(value && { value }) };
}

/** The best place to show a problem about a path: its value, its key, or the nearest thing above that exists. */
export function spanFor(spec: ParsedText, path: Path, prefer: "key" | "value" = "value"): Span {
  for (let length = path.length; length > 0; length--) {
    const found = locate(spec, path.slice(0, length));
    const nearest =
      length < path.length ? found.key : prefer === "key" ? found.key : shown(spec.text, found.value);
    const span = nearest ?? found.key ?? shown(spec.text, found.value);
    if (span) return span;
  }
  return firstLine(spec.text);
}

/** An empty value has no extent, and one of several lines would underline half the file: both give way to the key. */
function shown(text: string, span: Span | undefined): Span | undefined {
  if (!span || span.start === span.end) return undefined;
  const lines = text.slice(span.start, span.end).trimEnd();
  return lines.includes("\n") ? undefined : { start: span.start, end: span.start + lines.length };
}
