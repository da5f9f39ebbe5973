import { z } from "zod";
import { remembered } from "./remembered.ts";
import type { Path } from "./parseSpec.ts";

type Schema = z.core.$ZodType;

/** What may stand at one place of a spec, read from its zod schema. */
export type Shape = {
  readonly schema: Schema;
  readonly description: string | undefined;
  readonly defaultValue: unknown;
  readonly required: boolean;
};

const descriptionOf = (schema: Schema): string | undefined => z.globalRegistry.get(schema)?.description;

/** Looks through optional, default and nullable wrappers; the outermost description wins. */
export function shapeOf(schema: Schema): Shape {
  let description = descriptionOf(schema);
  let defaultValue: unknown;
  let required = true;
  for (;;) {
    if (schema instanceof z.ZodDefault || schema instanceof z.ZodPrefault) {
      defaultValue ??= schema.def.defaultValue;
      required = false;
      schema = schema.def.innerType;
    } else if (schema instanceof z.ZodOptional) {
      required = false;
      schema = schema.def.innerType;
    } else if (schema instanceof z.ZodNullable) schema = schema.def.innerType;
    else return { schema, description, defaultValue, required };
    description ??= descriptionOf(schema);
  }
}

/** The keys that a mapping may have, in the order of the schema; undefined when it is no mapping with fixed keys. */
export const keysOf = remembered((schema: Schema): ReadonlyMap<string, Shape> | undefined => {
  const inner = shapeOf(schema).schema;
  if (inner instanceof z.ZodUnion) return joinedKeys(inner.def.options.map(keysOf));
  if (inner instanceof z.ZodRecord && inner.def.keyType instanceof z.ZodEnum) return listedKeys(inner);
  if (!(inner instanceof z.ZodObject)) return undefined;
  const shape: Readonly<Record<string, Schema>> = inner.def.shape;
  return new Map(Object.entries(shape).map(([key, child]) => [key, shapeOf(child)]));
});

/** A mapping from names of a list, each of which may be left out. */
function listedKeys({ def: { keyType, valueType } }: z.ZodRecord): ReadonlyMap<string, Shape> {
  const value = { ...shapeOf(valueType), required: false };
  return new Map((valuesOf(keyType) ?? []).map((key) => [key, value]));
}

/** The keys of several mappings of which one may stand: what the first needs comes first, what only others have is optional. */
function joinedKeys(
  options: readonly (ReadonlyMap<string, Shape> | undefined)[],
): ReadonlyMap<string, Shape> | undefined {
  const mappings = options.filter((keys) => keys !== undefined);
  const [first, ...others] = mappings;
  if (first === undefined || others.length === 0) return first;
  const isEverywhere = (key: string): boolean => others.every((keys) => keys.has(key));
  const joined = new Map<string, Shape>();
  for (const [key, shape] of mappings.flatMap((keys) => [...keys]))
    if (!joined.has(key)) joined.set(key, isEverywhere(key) ? shape : { ...shape, required: false });
  return joined;
}

/** The schema below one step: a key of an object or record, an index of an array. */
function childOf(schema: Schema, step: string | number): Schema | undefined {
  const inner = shapeOf(schema).schema;
  if (inner instanceof z.ZodObject) {
    const shape: Readonly<Record<string, Schema>> = inner.def.shape;
    return Object.hasOwn(shape, step) ? shape[step] : undefined;
  }
  if (inner instanceof z.ZodUnion)
    return inner.def.options.map((option) => childOf(option, step)).find((child) => child !== undefined);
  if (inner instanceof z.ZodRecord) return inner.def.valueType;
  if (inner instanceof z.ZodArray) return typeof step === "number" ? inner.def.element : undefined;
  return undefined;
}

export function schemaAt(schema: Schema, path: Path): Schema | undefined {
  let found: Schema | undefined = schema;
  for (const step of path) found = found && childOf(found, step);
  return found;
}

/**
 * The values that a closed set allows, as they are written in YAML; undefined for an open set. Beside a mapping, a set
 * counts as closed: nothing else can be written on one line.
 */
export function valuesOf(schema: Schema): readonly string[] | undefined {
  const inner = shapeOf(schema).schema;
  if (inner instanceof z.ZodEnum) return Object.values(inner.def.entries).map(String);
  if (inner instanceof z.ZodLiteral) return inner.def.values.map(String);
  if (inner instanceof z.ZodBoolean) return ["true", "false"];
  if (!(inner instanceof z.ZodUnion)) return undefined;
  const words = inner.def.options.filter((option) => keysOf(option) === undefined).map(valuesOf);
  return words.some((option) => option === undefined) ? undefined : words.flatMap((option) => option ?? []);
}

/** A word or two for the type: what a hover and a completion show. */
export function typeName(schema: Schema): string {
  const inner = shapeOf(schema).schema;
  if (inner instanceof z.ZodUnion) return inner.def.options.map(typeName).join(" | ");
  const values = valuesOf(inner);
  if (values) return values.join(" | ");
  if (inner instanceof z.ZodArray) return `list of ${plural(typeName(inner.def.element))}`;
  if (inner instanceof z.ZodObject || inner instanceof z.ZodRecord) return "mapping";
  if (inner instanceof z.ZodNumberFormat) return "integer";
  if (inner instanceof z.ZodNumber) return "number";
  if (inner instanceof z.ZodString) return "text";
  return inner._zod.def.type;
}

function plural(type: string): string {
  if (type === "text") return "texts";
  return /^(mapping|number|integer)$/.test(type) ? `${type}s` : type;
}
