import { expressionItems } from "../completion/expression.ts";
import { expressionStarts } from "../completion/expressionStarts.ts";
import type { Completion, CompletionContext } from "../completion/item.ts";
import { keyPlaceholder, placeholders } from "../completion/placeholders.ts";
import { startItems } from "../completion/starts.ts";
import { keyNames, valueNames, type Offer } from "../completion/names.ts";
import { expressionCursor } from "../expressions/expressionCursor.ts";
import { cursorAt, type Cursor } from "../syntax/cursor.ts";
import type { Span } from "../syntax/parseSpec.ts";
import { keysOf, schemaAt, shapeOf, typeName, valuesOf, type Shape } from "../syntax/schemaShape.ts";
import { kindWords, specSchemas } from "../syntax/specKind.ts";

/**
 * What may stand at the cursor: keys and values of the schema, names of the project and of its evidence, and everything
 * that an expression can say. Keys that are there already are left out.
 */
export function complete(context: CompletionContext, offset: number): Completion[] {
  const { text } = context.spec;
  const expression = expressionCursor(context.spec, offset);
  if (expression) {
    const { prefix, suffix, items } = expressionItems(context, expression);
    const replace: Span = { start: offset - prefix, end: offset + suffix };
    // In double quotes those of a text would have to be escaped.
    const starts = text.charAt(offset - 1) === '"' ? [] : expressionStarts(expression);
    return [...starts, ...items].map((item) => ({ ...item, replace }));
  }
  const cursor = cursorAt(text, offset);
  const next = nextItem(text, offset);
  // Items of a list may stand as far left as its key; deeper, there is nothing but another one.
  if (next.length > 0 && text.charAt(offset - 1) === " ") return next;
  const schema = cursor && schemaAt(specSchemas[context.spec.kind], cursor.path);
  if (!cursor || !schema) return [];
  const keys = keysOf(schema);
  const isKey = cursor.type === "key" || cursor.ownLine;
  const known = isKey ? keyNames(context, cursor.path) : [];
  const free = isKey ? keyPlaceholder(cursor.path, schema) : undefined;
  const named = known.length > 0 || !free ? known : [free];
  if (cursor.type === "key" || named.length > 0 || (keys && cursor.ownLine))
    return [
      ...next,
      ...startItems(context, offset),
      ...keyItems(cursor, text, keys ?? new Map<string, Shape>()),
      ...nameKeys(cursor, text, named, schema),
    ];
  return valueItems(context, cursor, schema);
}

/** The dash of another item, on a line of its own below the items of a list. */
function nextItem(text: string, offset: number): Completion[] {
  const start = text.lastIndexOf("\n", offset - 1) + 1;
  const indent = text.slice(start, offset);
  if (!/^ *$/.test(indent) || !/^ *(\r?\n|$)/.test(text.slice(offset))) return [];
  const above = text.slice(0, start).split("\n");
  const outer = above.findLast((line) => line.trim() !== "" && !line.startsWith(`${indent} `));
  if (outer?.startsWith(`${indent}- `) !== true) return [];
  const item = {
    label: "- ",
    kind: "key",
    detail: "another item of the list",
    documentation: undefined,
  } as const;
  return [{ ...item, text: "- ", replace: { start: offset, end: offset }, required: false }];
}

const isWritten = ({ word }: Cursor, text: string) => /^\s*:/.test(text.slice(word.end));

/** What stands behind a key: the place of its value, below it where that is a mapping or a list of lines. */
function behindKey(cursor: Cursor, text: string, schema: Shape["schema"]): string {
  const type = typeName(schema);
  if (!/^(mapping|list)/.test(type)) return ": ";
  const { start } = cursor.word;
  const before = text.slice(text.lastIndexOf("\n", start - 1) + 1, start);
  if (!/^[ -]*$/.test(before)) return ":";
  return `:\n${" ".repeat(before.length)}  ${type.startsWith("list") ? "- " : ""}`;
}

function keyItems(cursor: Cursor, text: string, keys: ReadonlyMap<string, Shape>): Completion[] {
  return [...keys]
    .filter(([key]) => !cursor.present.includes(key))
    .map(([key, shape]) => ({
      label: key,
      kind: "key",
      detail: typeName(shape.schema) + (shape.required ? " (required)" : ""),
      documentation: shape.description,
      replace: cursor.word,
      text: isWritten(cursor, text) ? key : `${key}${behindKey(cursor, text, shape.schema)}`,
      required: shape.required,
    }));
}

function nameKeys(
  cursor: Cursor,
  text: string,
  names: readonly Offer[],
  schema: NonNullable<ReturnType<typeof schemaAt>>,
): Completion[] {
  const below = schemaAt(schema, ["name"]);
  const rest = below ? behindKey(cursor, text, below) : ": ";
  return names
    .filter(({ label }) => !cursor.present.includes(label))
    .map(({ snippet, plain, ...name }) => ({
      ...name,
      replace: cursor.word,
      text: `${snippet === true ? (name.text ?? "") : name.label}${isWritten(cursor, text) ? "" : rest}`,
      ...(snippet === true && {
        snippet,
        plain: `${plain ?? name.label}${isWritten(cursor, text) ? "" : rest}`,
      }),
      required: false,
    }));
}

function valueItems(
  context: CompletionContext,
  cursor: Cursor,
  schema: NonNullable<ReturnType<typeof schemaAt>>,
): Completion[] {
  const { description } = shapeOf(schema);
  const { word, path } = cursor;
  const { kind, text } = context.spec;
  const words = path.join() === "kind" ? kindWords(kind) : undefined;
  const fixed = (words ?? valuesOf(schema) ?? []).map((value): Completion => ({
    label: value,
    kind: "value",
    detail: "",
    documentation: description,
    replace: word,
    text: value,
    required: false,
  }));
  const written = text.slice(word.start, word.end);
  const named = valueNames(context, path, written);
  const known = fixed.length > 0 || named.length > 0;
  const offers = known || written !== "" ? named : placeholders(context, path, schema);
  return [...fixed, ...offers.map((offer) => asItem(offer, word))];
}

/** Key by key: there may be thousands of names, and copying them with `...` took most of an answer. */
const asItem = (
  { label, kind, detail, documentation, text = label, snippet, plain }: Offer,
  replace: Completion["replace"],
): Completion => {
  const item = { label, kind, detail, documentation, replace, text, required: false };
  return snippet === true ? { ...item, snippet, ...(plain !== undefined && { plain }) } : item;
};
