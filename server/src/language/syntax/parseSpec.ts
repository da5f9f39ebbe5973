import { isMap, isNode, isScalar, isSeq, parseDocument, visit, type Document } from "yaml";
import { parsePlainYaml } from "../../base/plainYaml.ts";
import { childOf, pairOf, treeOf, type YamlTree } from "../../base/yamlTree.ts";
import type { SpecKind } from "./specKind.ts";

/** Offsets into the text, end excluded. */
export type Span = { readonly start: number; readonly end: number };
export type Path = readonly (string | number)[];
export type SyntaxProblem = { readonly span: Span; readonly message: string };

/** A YAML text with the places of its values; `value` is undefined when it could not be read at all. */
export type ParsedText = {
  readonly text: string;
  readonly tree: YamlTree | undefined;
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
    tree: undefined,
    value: undefined,
    problems: [{ span: firstLine(text), message }],
  });
  if (text.length > maxSpecLength)
    return failed("This file is longer than 1,000,000 characters and is not read.");
  try {
    const plain = parsePlainYaml(text);
    if (plain) return { text, ...plain, problems: [] };
    const document = parsed(text);
    const problems = document.errors.slice(0, maxProblems).map(({ pos, message }) => ({
      span: { start: pos[0], end: Math.max(pos[1], pos[0] + 1) },
      message: oneSentence(message),
    }));
    for (const span of repeatedKeys(document.contents)) {
      if (problems.length >= maxProblems) break;
      problems.push({ span, message: "Map keys must be unique." });
    }
    const [whole, circles] = text.includes("*") ? withoutCircles(document) : [document, []];
    const message = "An alias cannot stand for something that contains it.";
    problems.push(...circles.map((span) => ({ span, message })));
    // Aliases are counted: a few lines of them can stand for gigabytes.
    const value: unknown = whole.toJS({ maxAliasCount: 100 });
    const tree = treeOf(whole);
    documents.set(tree, document);
    return { text, tree, value, problems };
  } catch (error) {
    return failed(
      `This cannot be read as YAML: ${oneSentence(error instanceof Error ? error.message : String(error))}`,
    );
  }
}

const parsed = (text: string): Document.Parsed =>
  parseDocument(text, {
    prettyErrors: false,
    // Looked for by parseText: the library compares every key with every other one, which takes minutes in a long file.
    uniqueKeys: false,
    merge: false,
    logLevel: "error",
  });

/** What can be made of a text that is just being written, whether or not it has a value; undefined where nothing can. */
export function treeIn(text: string): YamlTree | undefined {
  try {
    return parsePlainYaml(text)?.tree ?? treeOf(parsed(text));
  } catch {
    return undefined;
  }
}

const documents = new WeakMap<YamlTree, Document.Parsed>();

/**
 * The text as the YAML library has it, with comments: what is asked of a file that somebody looks at. It is made when it
 * is asked for, and is not to be written to; undefined when the text could not be read at all.
 */
export function documentOf({ tree, text }: ParsedText): Document.Parsed | undefined {
  if (!tree) return undefined;
  const document = documents.get(tree) ?? parsed(text);
  documents.set(tree, document);
  return document;
}

/** Whoever walks through a value that holds itself never comes to an end: such aliases become null. */
function withoutCircles(document: Document.Parsed): readonly [Document, readonly Span[]] {
  const found: Span[] = [];
  const cut = document.clone();
  visit(cut, {
    Alias(_, alias, ancestors) {
      const target = alias.resolve(cut);
      if (!target || !ancestors.some((above) => above === target)) return undefined;
      const [start = 0, end = 0] = alias.range ?? [];
      found.push({ start, end });
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
      if (seen.has(key.value) && key.range) yield { start: key.range[0], end: key.range[1] };
      seen.add(key.value);
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

/** The value at a path; aliases on the way are followed. */
export function treeAt({ tree }: Pick<ParsedText, "tree">, path: Path): YamlTree | undefined {
  let at = tree;
  for (const step of path) at = childOf(at, step);
  return at;
}

/** Where the value at a path stands, and the key that introduces it; undefined parts do not exist in the text. */
export function locate(spec: ParsedText, path: Path): { readonly key?: Span; readonly value?: Span } {
  const [last] = path.slice(-1);
  const around = last === undefined ? undefined : treeAt(spec, path.slice(0, -1));
  const parent = around?.type === "alias" ? around.target : around;
  const pair = parent?.type === "map" && last !== undefined ? pairOf(parent, last) : undefined;
  const value = pair ? pair.value : treeAt(spec, path);
  return { ...(pair?.key && { key: spanOf(pair.key) }), ...(value && { value: spanOf(value) }) };
}

const spanOf = ({ start, end }: Span): Span => ({ start, end });

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
