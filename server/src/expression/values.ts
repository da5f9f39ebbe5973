/** Offsets into the text of an expression in UTF-16 units, end excluded. */
export interface Range {
  readonly start: number;
  readonly end: number;
}

/** What is wrong with an expression or its evaluation, and where in its text. */
export interface ExpressionProblem extends Range {
  readonly message: string;
}

/**
 * An error of CEL, as a value: evaluation never throws. It passes through every operator except those that CEL lets
 * absorb it (&&, ||, ?:, all, exists).
 */
export class Failure implements ExpressionProblem {
  readonly start: number;
  readonly end: number;
  readonly message: string;
  constructor(at: Range, message: string) {
    this.start = at.start;
    this.end = at.end;
    this.message = message;
  }
}

/** CEL's uint; int is a bigint, double a number. */
export class Uint {
  readonly value: bigint;
  constructor(value: bigint) {
    this.value = value;
  }
}

/** The value of `type(x)` and of names such as `int`. */
export class TypeValue {
  readonly name: string;
  constructor(name: string) {
    this.name = name;
  }
}

/** CEL's optional: what `.?`, `[?]` and the optional functions give. */
export class Optional {
  readonly present: boolean;
  readonly value: unknown;
  constructor(present: boolean, value: unknown) {
    this.present = present;
    this.value = value;
  }
}
export const none = new Optional(false, null);

/** A moment, in milliseconds since 1970; CEL counts nanoseconds, logs do not. */
export class Timestamp {
  readonly ms: number;
  constructor(ms: number) {
    this.ms = ms;
  }
}

export class Duration {
  readonly ms: number;
  constructor(ms: number) {
    this.ms = ms;
  }
}

/** The key of a CEL map as a JavaScript Map can hold it: numbers of all kinds that are equal are one key. */
export type MapKey = string | bigint | boolean;

export type Kind =
  | "bool"
  | "int"
  | "uint"
  | "double"
  | "string"
  | "bytes"
  | "list"
  | "map"
  | "null_type"
  | "type"
  | "optional_type"
  | "google.protobuf.Timestamp"
  | "google.protobuf.Duration";

/** A plain object: what JSON gives. A map written in an expression is a Map. */
export function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  if (typeof value !== "object" || value === null) return false;
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === Object.prototype || prototype === null;
}

/** CEL's type of a value; undefined for what is none of its values. */
export function kindOf(value: unknown): Kind | undefined {
  if (typeof value === "object") return value === null ? "null_type" : kindOfObject(value);
  if (typeof value === "string") return "string";
  if (typeof value === "number") return "double";
  if (typeof value === "boolean") return "bool";
  return typeof value === "bigint" ? "int" : undefined;
}

function kindOfObject(value: object): Kind | undefined {
  if (Array.isArray(value)) return "list";
  if (value instanceof Map || isRecord(value)) return "map";
  if (value instanceof Uint) return "uint";
  if (value instanceof Uint8Array) return "bytes";
  if (value instanceof Optional) return "optional_type";
  if (value instanceof TypeValue) return "type";
  if (value instanceof Timestamp) return "google.protobuf.Timestamp";
  if (value instanceof Duration) return "google.protobuf.Duration";
  return undefined;
}

const spoken: Readonly<Partial<Record<Kind, string>>> = {
  bool: "true or false",
  int: "an int",
  uint: "a uint",
  double: "a number",
  string: "a string",
  bytes: "bytes",
  list: "a list",
  map: "a map",
  null_type: "null",
  type: "a type",
  optional_type: "an optional",
  "google.protobuf.Timestamp": "a timestamp",
  "google.protobuf.Duration": "a duration",
};

/** A kind of value inside a sentence. */
export const spokenKind = (kind: Kind | undefined): string =>
  (kind === undefined ? undefined : spoken[kind]) ?? "no value";
/** A value's kind inside a sentence. */
export const spokenKindOf = (value: unknown): string => spokenKind(kindOf(value));

/** Array.isArray says any[]; this says what is known. */
export const isList = (value: unknown): value is readonly unknown[] => Array.isArray(value);

/** The key under which a map holds a value; undefined for what cannot be a key. */
export function mapKey(value: unknown): MapKey | undefined {
  if (typeof value === "string" || typeof value === "bigint" || typeof value === "boolean") return value;
  if (typeof value === "number") return Number.isInteger(value) ? BigInt(value) : undefined;
  return value instanceof Uint ? value.value : undefined;
}

/** A whole number from any numeric kind, as an index or a count; undefined for anything else. */
export function wholeNumber(value: unknown): number | undefined {
  if (typeof value === "number") return Number.isSafeInteger(value) ? value : undefined;
  const big = typeof value === "bigint" ? value : value instanceof Uint ? value.value : undefined;
  if (big === undefined) return undefined;
  const number = Number(big);
  return Number.isSafeInteger(number) ? number : undefined;
}
