import { locate, spanFor, type ParsedText, type Span } from "./parseSpec.ts";
import { sourceOffsets } from "./scalarOffsets.ts";

/** The range inside the expression where its text stands in the file as it is; an escaped one is marked whole. */
export function spanInside(
  spec: ParsedText,
  path: readonly string[],
  text: string,
  { start, end }: Span,
): Span {
  const whole = spanFor(spec, path);
  const value = locate(spec, path).value;
  const offsets = value && sourceOffsets(spec.text.slice(value.start, value.end), text);
  if (!value || !offsets) return whole;
  const first = offsets[Math.min(start, text.length - 1)];
  const last = offsets[Math.min(Math.max(end, start + 1), text.length) - 1];
  return first === undefined || last === undefined
    ? whole
    : { start: value.start + first, end: value.start + last + 1 };
}
