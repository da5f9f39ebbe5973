import { isUtf8 } from "node:buffer";
import { maxLineBytes, type Line } from "../../contract/lines.ts";
import { maxJsonDepth, parseJson } from "../../../reading/document.ts";

export type ForeignJson =
  | {
      readonly type: "record";
      readonly record: unknown;
      /** NaN and Infinity that became null. */
      readonly nonFinite: number;
    }
  | { readonly type: "bad"; readonly reason: string }
  | { readonly type: "blank" };

/**
 * The JSON in one line of a foreign file. Python writes NaN and Infinity, which JSON does not have: they become null and
 * are counted, so that a record is not lost for them and none passes silently.
 */
export function parseForeignJson({ bytes: all, tooLong, start }: Line): ForeignJson {
  if (tooLong) return { type: "bad", reason: `the line is longer than ${maxLineBytes / 1024 / 1024} MiB` };
  const bytes = start === 0 && all[0] === 0xef && all[1] === 0xbb && all[2] === 0xbf ? all.subarray(3) : all;
  const quick = shallow(bytes) && isUtf8(bytes) ? parseOrNothing(bytes) : undefined;
  if (quick !== undefined) return { type: "record", record: quick, nonFinite: 0 };
  if (bytes.toString("latin1").trim() === "") return { type: "blank" };
  const parsed = parseJson(bytes);
  return parsed.type === "bad"
    ? { type: "bad", reason: parsed.torn ? `torn JSON: ${parsed.reason}` : parsed.reason }
    : { type: "record", record: parsed.value, nonFinite: parsed.nonFinite?.count ?? 0 };
}

/** The library's own parser is several times faster, and takes nearly every record. */
function parseOrNothing(bytes: Buffer): unknown {
  try {
    return JSON.parse(bytes.toString("utf8"));
  } catch {
    return undefined;
  }
}

const [openBrace, openBracket] = [0x7b, 0x5b];

/** Whether the brackets are too few to nest too deep. In text they are rare, so that looking for them is fast. */
function shallow(bytes: Buffer): boolean {
  let opening = 0;
  for (const bracket of [openBrace, openBracket])
    for (let at = bytes.indexOf(bracket); at !== -1; at = bytes.indexOf(bracket, at + 1))
      if (++opening > maxJsonDepth) return false;
  return true;
}
