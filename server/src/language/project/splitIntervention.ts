import { posix } from "node:path";
import { isNode, isSeq, visit, type Document, type YAMLSeq } from "yaml";
import type { TextEdit } from "../rule/rule.ts";
import { documentOf, locate, type ParsedText, type Span } from "../syntax/parseSpec.ts";

/** Which edits, by their place in the list, go with which factor; the first part stays in the file. */
export type Part = { readonly factor: string; readonly edits: readonly number[] };

type Split = {
  /** Of the file itself: nothing but what goes, and what has to say something else now. */
  readonly edits: readonly TextEdit[];
  readonly creates: readonly { readonly path: string; readonly text: string }[];
};

/** The texts of several interventions that were one: each has the same hypothesis and targets, and its own factor. */
export function splitIntervention(
  spec: ParsedText,
  { path, name }: { readonly path: string; readonly name: string },
  parts: readonly Part[],
): Split | undefined {
  const [first, ...rest] = parts;
  const document = documentOf(spec);
  if (!document || !first) return undefined;
  return {
    edits: partEdits(spec, document, first, undefined),
    creates: rest.map((part) => {
      const own = `${name}-${part.factor}`.slice(0, 64);
      return {
        path: posix.join(posix.dirname(path), `${own}.intervention.yaml`),
        text: applied(spec.text, partEdits(spec, document, part, own)),
      };
    }),
  };
}

function partEdits(spec: ParsedText, document: Document, part: Part, name: string | undefined): TextEdit[] {
  const list: unknown = document.get("edit");
  const text = hasAlias(document) ? withoutAliases(document, part, name) : undefined;
  // An alias would point to an anchor that another part may have kept: only such a file is written anew.
  if (text !== undefined) return [{ span: { start: 0, end: spec.text.length }, text }];
  const change: unknown = document.getIn(["edit", part.edits[0] ?? 0, "path"]);
  const values: readonly (readonly [readonly string[], unknown])[] = [
    [["factor"], part.factor],
    [["name"], name],
    [["hypothesis", "change"], change],
  ];
  return [
    ...values.flatMap(([path, value]) => {
      const span = locate(spec, path).value;
      return span && typeof value === "string" && document.getIn(path) !== value
        ? [{ span, text: value }]
        : [];
    }),
    ...(isSeq(list) ? removals(spec.text, list, part.edits) : []),
  ].sort((a, b) => a.span.start - b.span.start);
}

/** The edits that take items out of a list, with the comments above them. */
function removals(text: string, list: YAMLSeq, kept: readonly number[]): TextEdit[] {
  const items = list.items.map((item) => (isNode(item) && item.range ? item.range : undefined));
  const spans = items.map(
    (range) => range && { start: range[0], end: text.slice(0, range[1]).trimEnd().length },
  );
  if (list.flow === true) {
    const [start, end] = list.range ?? [0, 0];
    const written = spans.flatMap((span, i) =>
      span && kept.includes(i) ? text.slice(span.start, span.end) : [],
    );
    return [{ span: { start, end }, text: `[${written.join(", ")}]` }];
  }
  return spans.flatMap((span, i) =>
    span && !kept.includes(i) ? [{ span: linesOf(text, span), text: "" }] : [],
  );
}

/** The whole lines of an item, and those above it that hold nothing but a comment. */
function linesOf(text: string, { start, end }: Span): Span {
  let from = text.lastIndexOf("\n", start - 1) + 1;
  for (;;) {
    const above = text.lastIndexOf("\n", from - 2) + 1;
    if (from === 0 || !/^\s*#/.test(text.slice(above, from))) break;
    from = above;
  }
  const newline = text.indexOf("\n", end);
  return { start: from, end: newline < 0 ? text.length : newline + 1 };
}

function applied(text: string, edits: readonly TextEdit[]): string {
  return edits.reduceRight(
    (done, { span, text: by }) => done.slice(0, span.start) + by + done.slice(span.end),
    text,
  );
}

function hasAlias(document: Document): boolean {
  const found: unknown[] = [];
  visit(document, { Alias: (_, alias) => void found.push(alias) });
  return found.length > 0;
}

function withoutAliases(document: Document, { factor, edits }: Part, name: string | undefined): string {
  const copy = document.clone();
  // Every alias is written out, so that each part stands for itself.
  visit(copy, { Alias: (_, alias) => copy.createNode(alias.resolve(copy)?.toJS(copy) ?? null) });
  const list: unknown = copy.get("edit");
  if (isSeq(list)) list.items = list.items.filter((_, i) => edits.includes(i));
  copy.set("factor", factor);
  if (name !== undefined) copy.set("name", name);
  const change: unknown = copy.getIn(["edit", 0, "path"]);
  if (copy.hasIn(["hypothesis", "change"]) && typeof change === "string")
    copy.setIn(["hypothesis", "change"], change);
  return copy.toString({ lineWidth: 0, flowCollectionPadding: false });
}
