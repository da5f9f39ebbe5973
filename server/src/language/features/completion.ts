import { expressionItems } from "../completion/expression.ts";
import type { Completion, CompletionContext } from "../completion/item.ts";
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
    return items.map((item) => ({ ...item, replace }));
  }
  const cursor = cursorAt(text, offset);
  const schema = cursor && schemaAt(specSchemas[context.spec.kind], cursor.path);
  if (!cursor || !schema) return [];
  const keys = keysOf(schema);
  const named = cursor.type === "key" || cursor.ownLine ? keyNames(context, cursor.path) : [];
  if (cursor.type === "key" || named.length > 0 || (keys && cursor.ownLine))
    return [
      ...startItems(context, offset),
      ...keyItems(cursor, text, keys ?? new Map<string, Shape>()),
      ...nameKeys(cursor, text, named),
    ];
  return valueItems(context, cursor, schema);
}

const isWritten = ({ word }: Cursor, text: string) => /^\s*:/.test(text.slice(word.end));

function keyItems(cursor: Cursor, text: string, keys: ReadonlyMap<string, Shape>): Completion[] {
  return [...keys]
    .filter(([key]) => !cursor.present.includes(key))
    .map(([key, shape]) => ({
      label: key,
      kind: "key",
      detail: typeName(shape.schema) + (shape.required ? " (required)" : ""),
      documentation: shape.description,
      replace: cursor.word,
      text: isWritten(cursor, text) ? key : `${key}:${isNested(shape) ? "" : " "}`,
      required: shape.required,
    }));
}

function nameKeys(cursor: Cursor, text: string, names: readonly Offer[]): Completion[] {
  return names
    .filter(({ label }) => !cursor.present.includes(label))
    .map((name) => ({
      ...name,
      replace: cursor.word,
      text: isWritten(cursor, text) ? name.label : `${name.label}: `,
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
  const named = valueNames(context, path, text.slice(word.start, word.end));
  return [...fixed, ...named.map((name) => asItem(name, word))];
}

/** Key by key: there may be thousands of names, and copying them with `...` took most of an answer. */
const asItem = (
  { label, kind, detail, documentation, text = label }: Offer,
  replace: Completion["replace"],
): Completion => ({ label, kind, detail, documentation, replace, text, required: false });

const isNested = ({ schema }: Shape) => /^(mapping|list)/.test(typeName(schema));
