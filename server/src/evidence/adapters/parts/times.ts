import { textAt } from "./untrusted.ts";

/** ISO 8601 of seconds since 1970; null for what is no time that a run can be from, zero included. */
export function isoOf(seconds: number | undefined): string | null {
  if (seconds === undefined || seconds <= 0 || seconds > 32_503_680_000) return null;
  return new Date(seconds * 1000).toISOString();
}

/** Milliseconds of a time as text; a text without a zone is taken as UTC, which differences do not show. */
function millisOf(time: string | undefined): number | undefined {
  if (time === undefined) return undefined;
  const zoned = /(?:Z|[+-]\d\d:?\d\d)$/.test(time) ? time : `${time}Z`;
  const millis = Date.parse(zoned.replace(" ", "T"));
  return Number.isFinite(millis) ? millis : undefined;
}

/** Milliseconds between two times as text; undefined when one is missing or the clock went back. */
export function millisBetween(from: string | undefined, to: string | undefined): number | undefined {
  const [start, end] = [millisOf(from), millisOf(to)];
  return start === undefined || end === undefined || end < start ? undefined : end - start;
}

const iso = /^\d{4}-\d\d-\d\d[T ]\d\d:\d\d(?::\d\d(?:\.\d+)?)?(?:Z|[+-]\d\d:?\d\d)?$/;

/** An ISO 8601 time as it was written, with or without a zone; undefined for any other text. */
export function timeAt(value: unknown, ...path: readonly (string | number)[]): string | undefined {
  const text = textAt(value, ...path);
  return text !== undefined && iso.test(text) ? text : undefined;
}

/** Milliseconds since 1970 of an ISO 8601 time; undefined for any other text. */
export const instantAt = (value: unknown, ...path: readonly (string | number)[]): number | undefined =>
  millisOf(timeAt(value, ...path));
