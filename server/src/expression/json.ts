import { toText } from "./convert.ts";
import { maxNesting } from "./frame.ts";
import { Failure, isList, isRecord, Optional, TypeValue, Uint, type Range } from "./values.ts";

/**
 * A value of CEL as JSON: ints as numbers where those are exact and as text where not, maps as objects, an optional as
 * its value or null, times as text. A failure when it is nested too deeply.
 */
export function toJson(value: unknown, at: Range, depth = 0): unknown {
  if (typeof value === "bigint") return wholeToJson(value);
  if (typeof value !== "object" || value === null) return value;
  if (depth > maxNesting)
    return new Failure(at, `Values nested deeper than ${maxNesting} levels are not kept.`);
  if (isList(value)) {
    const made: unknown[] = [];
    for (const element of value) {
      const json = toJson(element, at, depth + 1);
      if (json instanceof Failure) return json;
      made.push(json);
    }
    return made;
  }
  if (value instanceof Map) return entriesToJson(value, at, depth);
  if (isRecord(value)) return entriesToJson(Object.entries(value), at, depth);
  if (value instanceof Uint) return wholeToJson(value.value);
  if (value instanceof Optional) return value.present ? toJson(value.value, at, depth + 1) : null;
  if (value instanceof TypeValue) return value.name;
  if (value instanceof Uint8Array) return Buffer.from(value).toString("base64");
  return toText(value, at);
}

function wholeToJson(value: bigint): number | string {
  const number = Number(value);
  return Number.isSafeInteger(number) ? number : String(value);
}

function entriesToJson(
  entries: Iterable<readonly [unknown, unknown]>,
  at: Range,
  depth: number,
): Record<string, unknown> | Failure {
  const made: [string, unknown][] = [];
  for (const [key, value] of entries) {
    const json = toJson(value, at, depth + 1);
    if (json instanceof Failure) return json;
    made.push([String(key), json]);
  }
  // Unlike assignment, this keeps a key called __proto__ as data.
  return Object.fromEntries(made);
}
