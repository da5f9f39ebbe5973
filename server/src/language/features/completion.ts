import type { ParsedSpec, Span } from "../syntax/parseSpec.ts";
import { cursorAt } from "../syntax/cursor.ts";
import { keysOf, schemaAt, shapeOf, typeName, valuesOf, type Shape } from "../syntax/schemaShape.ts";
import { kindWords, specSchemas } from "../syntax/specKind.ts";

export type Completion = {
  readonly label: string;
  readonly kind: "key" | "value";
  readonly detail: string;
  readonly documentation: string | undefined;
  readonly replace: Span;
  readonly text: string;
  readonly required: boolean;
};

/** Keys and values that the schema allows at the cursor; keys that are there already are left out. */
export function complete(spec: Pick<ParsedSpec, "kind" | "text">, offset: number): Completion[] {
  const cursor = cursorAt(spec.text, offset);
  const schema = cursor && schemaAt(specSchemas[spec.kind], cursor.path);
  if (!cursor || !schema) return [];
  const { word } = cursor;
  const keys = keysOf(schema);
  if (cursor.type === "key" || (keys && cursor.ownLine)) {
    const written = /^\s*:/.test(spec.text.slice(word.end));
    return [...(keys ?? [])]
      .filter(([key]) => !cursor.present.includes(key))
      .map(([key, shape]) => ({
        label: key,
        kind: "key",
        detail: typeName(shape.schema) + (shape.required ? " (required)" : ""),
        documentation: shape.description,
        replace: word,
        text: written ? key : `${key}:${isNested(shape) ? "" : " "}`,
        required: shape.required,
      }));
  }
  const { description } = shapeOf(schema);
  const words = cursor.path.join() === "kind" ? kindWords(spec.kind) : undefined;
  return (words ?? valuesOf(schema) ?? []).map((value) => ({
    label: value,
    kind: "value",
    detail: "",
    documentation: description,
    replace: word,
    text: value,
    required: false,
  }));
}

const isNested = ({ schema }: Shape) => /^(mapping|list)/.test(typeName(schema));
