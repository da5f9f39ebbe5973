import { spend, tooLong, type Frame } from "./frame.ts";
import { Failure, type Range } from "./values.ts";

const surrogate = /[\ud800-\udfff]/;

/** Length in code points, as CEL counts. */
export function codePointLength(text: string): number {
  if (!surrogate.test(text)) return text.length;
  let length = 0;
  for (let i = 0; i < text.length; i++) if (!isPairAt(text, i)) length++;
  return length;
}

/** Whether the unit at an index ends a pair: such a unit is no code point of its own. */
const isPairAt = (text: string, i: number) =>
  i > 0 && isBetween(text.charCodeAt(i), 0xdc00, 0xdfff) && isBetween(text.charCodeAt(i - 1), 0xd800, 0xdbff);
const isBetween = (unit: number, low: number, high: number) => unit >= low && unit <= high;

/** The index in UTF-16 units of a code point; undefined when the text is shorter. */
export function unitIndex(text: string, codePoint: number): number | undefined {
  if (codePoint < 0) return undefined;
  if (!surrogate.test(text)) return codePoint <= text.length ? codePoint : undefined;
  let seen = 0;
  for (let i = 0; i < text.length; i++) {
    if (isPairAt(text, i)) continue;
    if (seen === codePoint) return i;
    seen++;
  }
  return seen === codePoint ? text.length : undefined;
}

/** The number of code points before an index in UTF-16 units. */
export const codePointIndex = (text: string, unit: number): number => codePointLength(text.slice(0, unit));

/** White space as Unicode has it; String.trim also takes the byte order mark and leaves U+0085. */
const isSpace = (unit: number): boolean =>
  unit === 0x20 ||
  (unit >= 0x09 && unit <= 0x0d) ||
  (unit >= 0x80 && (unit === 0x85 || (unit !== 0xfeff && String.fromCharCode(unit).trim() === "")));

export function trimmed(text: string): string {
  let start = 0;
  let end = text.length;
  while (start < end && isSpace(text.charCodeAt(start))) start++;
  while (end > start && isSpace(text.charCodeAt(end - 1))) end--;
  return text.slice(start, end);
}

/** Only A to Z change: that is what CEL's lowerAscii and upperAscii are for. */
export const lowerAscii = (text: string): string => text.replace(/[A-Z]+/g, (part) => part.toLowerCase());
export const upperAscii = (text: string): string => text.replace(/[a-z]+/g, (part) => part.toUpperCase());

/** `limit` parts at most, the last holding the rest; a negative limit is none. An empty separator parts code points. */
export function split(
  text: string,
  separator: string,
  limit: number,
  at: Range,
  frame: Frame,
): readonly string[] | Failure {
  if (limit === 0) return [];
  const stopped = spend(frame, text.length >> (separator === "" ? 0 : 2), at);
  if (stopped) return stopped;
  const parts = separator === "" ? Array.from(text) : text.split(separator);
  if (limit < 0 || parts.length <= limit) return parts;
  return [...parts.slice(0, limit - 1), parts.slice(limit - 1).join(separator)];
}

export function joinTexts(parts: readonly unknown[], separator: string, at: Range): string | Failure {
  let length = 0;
  for (const part of parts) {
    if (typeof part !== "string")
      return new Failure(at, "join needs a list of strings; use map(x, string(x)).");
    length += part.length + separator.length;
  }
  return tooLong(length, at) ?? parts.join(separator);
}

/** The first `limit` occurrences, all when it is negative; an empty text occurs around every code point. */
export function replaced(
  text: string,
  { from, to, limit }: { readonly from: string; readonly to: string; readonly limit: number },
  at: Range,
  frame: Frame,
): string | Failure {
  if (limit === 0) return text;
  const parts = split(text, from, limit < 0 ? -1 : limit + 1, at, frame);
  if (parts instanceof Failure) return parts;
  if (from !== "") {
    const length = text.length + (parts.length - 1) * (to.length - from.length);
    return tooLong(length, at) ?? parts.join(to);
  }
  const points = Array.from(text);
  const most = limit < 0 ? points.length + 1 : Math.min(limit, points.length + 1);
  return (
    tooLong(text.length + most * to.length, at) ??
    points.map((point, i) => (i < most ? to + point : point)).join("") + (most > points.length ? to : "")
  );
}
