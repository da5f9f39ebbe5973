import { pointedAt } from "../syntax/cursor.ts";
import type { ParsedSpec, Span } from "../syntax/parseSpec.ts";
import { schemaAt, shapeOf, typeName } from "../syntax/schemaShape.ts";
import { specSchemas } from "../syntax/specKind.ts";

/** What the schema says about the key or value under the pointer, as Markdown. */
export function hover(
  spec: ParsedSpec,
  offset: number,
): { readonly span: Span; readonly markdown: string } | undefined {
  const pointed = pointedAt(spec, offset);
  const schema = pointed && schemaAt(specSchemas[spec.kind], pointed.path);
  if (!pointed || !schema) return undefined;
  const { description, defaultValue, required } = shapeOf(schema);
  const name = pointed.path.filter((step) => typeof step === "string").at(-1) ?? spec.kind;
  const preset = isPlain(defaultValue) ? `, default \`${String(defaultValue)}\`` : "";
  const head = `**${name}**: ${typeName(schema)}${required ? "" : ", optional"}${preset}`;
  return { span: pointed.span, markdown: description === undefined ? head : `${head}\n\n${description}` };
}

const isPlain = (value: unknown): value is string | number | boolean =>
  typeof value === "string" || typeof value === "number" || typeof value === "boolean";
