import { isUtf8 } from "node:buffer";
import type { z } from "zod";
import { MetricRecord, Rollout } from "../../../../shared/model/rollout.ts";
import { messageOf } from "../../base/errors.ts";
import { isRollout } from "./check.ts";
import { maxLineBytes, type Line } from "./lines.ts";

export const evidenceKinds = ["rollouts", "metrics", "scores"] as const;
export type EvidenceKind = (typeof evidenceKinds)[number];

/** A line is a record, a reason why it is none, or blank. */
export type Parsed<T> =
  | { readonly type: "record"; readonly record: T }
  | { readonly type: "bad"; readonly reason: string }
  | { readonly type: "blank" };

/** The rollout in one line of a rollouts file. */
export function parseRollout(line: Line): Parsed<Rollout> {
  const json = parseJson(line);
  if (json.type !== "record") return json;
  return isRollout(json.record) ? { type: "record", record: json.record } : bySchema(Rollout, json.record);
}

/** The metrics in one line of a metrics file. */
export function parseMetrics(line: Line): Parsed<MetricRecord> {
  const json = parseJson(line);
  return json.type === "record" ? bySchema(MetricRecord, json.record) : json;
}

/** Values that are nested a hundred thousand times can be read, and not written again. */
const mostDepth = 1000;
/** A shorter line can hold no values that a program could not write again. */
const deepBytes = 16 * 1024;

function isTooDeep(bytes: Buffer): boolean {
  if (bytes.length < deepBytes) return false;
  let depth = 0;
  let isText = false;
  for (let at = 0; at < bytes.length; at++) {
    const byte = bytes[at];
    if (isText) {
      if (byte === 0x5c) at++;
      else if (byte === 0x22) isText = false;
    } else if (byte === 0x22) isText = true;
    else if (byte === 0x7b || byte === 0x5b) {
      if (++depth > mostDepth) return true;
    } else if (byte === 0x7d || byte === 0x5d) depth--;
  }
  return false;
}

const utf8Bom = Buffer.from([0xef, 0xbb, 0xbf]);

function parseJson(line: Line): Parsed<unknown> {
  if (line.tooLong) return bad(`the line is longer than ${maxLineBytes / 1024 / 1024} MiB`);
  const bytes =
    line.start === 0 && line.bytes.subarray(0, 3).equals(utf8Bom) ? line.bytes.subarray(3) : line.bytes;
  if (!isUtf8(bytes)) return bad("the line is not valid UTF-8");
  if (isTooDeep(bytes)) return bad(`its values are nested more than ${mostDepth} deep`);
  const text = bytes.toString("utf8");
  try {
    const record: unknown = JSON.parse(text);
    return { type: "record", record };
  } catch (e) {
    if (text.trim() === "") return { type: "blank" };
    return bad(jsonReason(text, e));
  }
}

const tornReason = "torn JSON: the line ends in the middle of a value";
const notANumber = /"((?:[^"\\]|\\.){1,80})"\s*:\s*(-?Infinity|NaN)\b/;

function jsonReason(text: string, e: unknown): string {
  const literal = notANumber.exec(text);
  if (literal?.[1] !== undefined && literal[2] !== undefined)
    return `${literal[1]} is ${literal[2]}, which JSON does not have: write null for a missing value`;
  // Every record is an object, so a line that opens one and does not close it was cut off.
  if (/^\s*\{/.test(text) && !text.trimEnd().endsWith("}")) return tornReason;
  const message = messageOf(e);
  return /unexpected end|unterminated/i.test(message) ? tornReason : `not JSON: ${shorten(message, 160)}`;
}

function bySchema<T>(schema: z.ZodType<T>, value: unknown): Parsed<T> {
  const result = schema.safeParse(value);
  return result.success ? { type: "record", record: result.data } : bad(reasonOf(result.error.issues, value));
}

const bad = (reason: string): { readonly type: "bad"; readonly reason: string } => ({ type: "bad", reason });

/** Why a value is no rollout of the contract, as a clause. */
export function reasonForRollout(value: unknown): string {
  const result = Rollout.safeParse(value);
  return result.success ? "not in the contract" : reasonOf(result.error.issues, value);
}

/** The first problem as a clause that names the field, and how many more there are. */
function reasonOf(issues: readonly z.core.$ZodIssue[], value: unknown): string {
  const first = issues[0];
  if (first === undefined) return "not in the contract";
  const more = issues.length === 1 ? "" : ` (and ${issues.length - 1} more)`;
  return `${clauseOf(first, value)}${more}`;
}

function clauseOf(issue: z.core.$ZodIssue, root: unknown): string {
  const field = nameOf(issue.path);
  const value = valueAt(root, issue.path);
  if (value === undefined && issue.code !== "custom") return `${field} is missing`;
  const message = issue.message.replace(/\.$/, "");
  if (value === undefined) return `${field}: ${message}`;
  const shown = typeof value === "number" ? String(value) : JSON.stringify(value);
  const got = `, got ${shorten(shown, 60)}`;
  if (issue.code === "invalid_type") {
    const expected = value === Infinity || value === -Infinity ? "finite" : issue.expected;
    return `${field} must be ${typeNames[expected] ?? issue.expected}${got}`;
  }
  if (issue.code === "invalid_value") return `${field} must be ${listOf(issue.values.map(String))}${got}`;
  if (issue.code === "too_small" && issue.origin === "string") return `${field} must not be empty`;
  if (issue.code === "too_small") return `${field} must be at least ${issue.minimum}${got}`;
  if (issue.code === "too_big") return `${field} must be at most ${issue.maximum}${got}`;
  return `${field}: ${message}`;
}

const typeNames: Readonly<Record<string, string>> = {
  string: "a string",
  number: "a number",
  finite: "a finite number",
  int: "a whole number",
  boolean: "true or false",
  array: "a list",
  object: "an object",
  record: "an object",
};

function nameOf(path: readonly PropertyKey[]): string {
  if (path.length === 0) return "the line";
  return path
    .map((key, i) => (typeof key === "number" ? `[${key}]` : `${i > 0 ? "." : ""}${String(key)}`))
    .join("");
}

function valueAt(root: unknown, path: readonly PropertyKey[]): unknown {
  let value = root;
  for (const key of path) {
    if (typeof value !== "object" || value === null) return undefined;
    value = Object.entries(value).find(([name]) => name === String(key))?.[1];
  }
  return value;
}

function listOf(values: readonly string[]): string {
  return values.length === 1
    ? String(values[0])
    : `${values.slice(0, -1).join(", ")} or ${values.at(-1) ?? ""}`;
}

function shorten(text: string, length: number): string {
  return text.length > length ? `${text.slice(0, length)}…` : text;
}
