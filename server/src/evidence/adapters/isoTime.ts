import { textAt } from "./untrusted.ts";

const iso = /^\d{4}-\d\d-\d\d[T ]\d\d:\d\d(?::\d\d(?:\.\d+)?)?(?:Z|[+-]\d\d:?\d\d)?$/;

/** An ISO 8601 time as it was written, with or without a zone; undefined for any other text. */
export function timeAt(value: unknown, ...path: readonly (string | number)[]): string | undefined {
  const text = textAt(value, ...path);
  return text !== undefined && iso.test(text) ? text : undefined;
}
