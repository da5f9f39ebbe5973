import { isUtf8 } from "node:buffer";
import { messageOf } from "../../base/errors.ts";
import { maxLineBytes, type Line } from "../lines.ts";

export type ForeignJson =
  | {
      readonly type: "record";
      readonly record: unknown;
      /** NaN and Infinity that became null. */ readonly nonFinite: number;
    }
  | { readonly type: "bad"; readonly reason: string }
  | { readonly type: "blank" };

/** Values nested deeper than this are refused: what walks them recursively must not run out of stack. */
const maxDepth = 1000;

/**
 * The JSON in one line or document of a foreign file. Python writes NaN and Infinity, which JSON does not have: they
 * become null and are counted, so that a record is not lost for them and none passes silently.
 */
export function parseForeignJson({ bytes: all, tooLong, start }: Line): ForeignJson {
  if (tooLong) return { type: "bad", reason: `the line is longer than ${maxLineBytes / 1024 / 1024} MiB` };
  const bytes = start === 0 && all[0] === 0xef && all[1] === 0xbb && all[2] === 0xbf ? all.subarray(3) : all;
  if (!isUtf8(bytes)) return { type: "bad", reason: "the line is not valid UTF-8" };
  const text = bytes.toString("utf8");
  try {
    const record: unknown = JSON.parse(text);
    return deep(bytes) ? tooDeep : { type: "record", record, nonFinite: 0 };
  } catch (e) {
    if (text.trim() === "") return { type: "blank" };
    const { strict, nonFinite } = withoutNonFinite(text);
    if (nonFinite === 0) return { type: "bad", reason: reasonOf(text, e) };
    try {
      const record: unknown = JSON.parse(strict);
      return deep(bytes) ? tooDeep : { type: "record", record, nonFinite };
    } catch (second) {
      return { type: "bad", reason: reasonOf(text, second) };
    }
  }
}

const tooDeep = { type: "bad", reason: `the record is nested deeper than ${maxDepth} levels` } as const;

function reasonOf(text: string, e: unknown): string {
  return /^\s*\{/.test(text) && !text.trimEnd().endsWith("}")
    ? "torn JSON: the line ends in the middle of a value"
    : `not JSON: ${messageOf(e).slice(0, 160)}`;
}

const [quote, backslash, openBrace, openBracket, closeBrace, closeBracket] = [
  0x22, 0x5c, 0x7b, 0x5b, 0x7d, 0x5d,
];

/** Whether valid JSON nests too deep. Opening brackets anywhere bound the depth, which settles nearly every record. */
function deep(bytes: Buffer): boolean {
  let opening = 0;
  for (const byte of bytes) if (byte === openBrace || byte === openBracket) opening++;
  if (opening <= maxDepth) return false;
  let depth = 0;
  for (let i = 0; i < bytes.length; i++) {
    const byte = bytes[i];
    if (byte === quote) i = stringEnd(bytes, i);
    else if (byte === openBrace || byte === openBracket) {
      if (++depth > maxDepth) return true;
    } else if (byte === closeBrace || byte === closeBracket) depth--;
  }
  return false;
}

function stringEnd(bytes: Buffer, start: number): number {
  for (let i = start + 1; i < bytes.length; i++) {
    if (bytes[i] === backslash) i++;
    else if (bytes[i] === quote) return i;
  }
  return bytes.length;
}

const literal = /-?\b(?:NaN|Infinity)\b/g;

/** The text with those literals replaced that stand outside strings. */
function withoutNonFinite(text: string): { strict: string; nonFinite: number } {
  let nonFinite = 0;
  const parts: string[] = [];
  for (let at = 0; at < text.length;) {
    const open = text.indexOf('"', at);
    const code = text.slice(at, open === -1 ? text.length : open);
    parts.push(
      code.replace(literal, () => {
        nonFinite++;
        return "null";
      }),
    );
    if (open === -1) break;
    let close = open + 1;
    while (close < text.length && text[close] !== '"') close += text[close] === "\\" ? 2 : 1;
    parts.push(text.slice(open, close + 1));
    at = close + 1;
  }
  return { strict: parts.join(""), nonFinite };
}
