import { countArgument, needsString, type Builtin, type Builtins } from "./builtins.ts";
import { spend, type Frame } from "./frame.ts";
import { patternOrFailure } from "./regex.ts";
import {
  codePointIndex,
  codePointLength,
  joinTexts,
  lowerAscii,
  replaced,
  split,
  trimmed,
  unitIndex,
  upperAscii,
} from "./text.ts";
import { Failure, isList, spokenKindOf, type Range } from "./values.ts";

type TextTest = (text: string, part: string) => boolean;

const test = (name: string, holds: TextTest): Builtin => ({
  arity: [2, 2],
  gives: "bool",
  run: ([text, part], at, frame) => {
    if (typeof text !== "string") return needsString(name, text, at);
    if (typeof part !== "string") return needsString(name, part, at);
    return (text.length > 4096 ? spend(frame, text.length >> 10, at) : undefined) ?? holds(text, part);
  },
});

const change = (name: string, changed: (text: string) => string): Builtin => ({
  arity: [1, 1],
  gives: "string",
  run: ([text], at, frame) =>
    typeof text === "string"
      ? (spend(frame, text.length >> 10, at) ?? changed(text))
      : needsString(name, text, at),
});

/** Whether the pattern is found anywhere in the text. */
export function matches(text: unknown, pattern: unknown, at: Range, frame: Frame): boolean | Failure {
  if (typeof text !== "string") return needsString("matches", text, at);
  if (typeof pattern !== "string") return needsString("matches", pattern, at);
  const compiled = patternOrFailure(pattern, at);
  if (compiled instanceof Failure) return compiled;
  return (text.length > 256 ? spend(frame, text.length >> 6, at) : undefined) ?? compiled.test(text);
}

function indexOf(name: "indexOf" | "lastIndexOf"): Builtin {
  return {
    arity: [2, 3],
    gives: "int",
    run: ([text, part, offset], at, frame) => {
      if (typeof text !== "string") return needsString(name, text, at);
      if (typeof part !== "string") return needsString(name, part, at);
      const stopped = spend(frame, text.length >> 10, at);
      if (stopped) return stopped;
      const whole = name === "indexOf" ? 0 : codePointLength(text);
      const from = countArgument(name, offset, whole, at);
      if (from instanceof Failure) return from;
      const unit = unitIndex(text, from);
      if (unit === undefined) return outOfRange(name, at);
      const found = name === "indexOf" ? text.indexOf(part, unit) : text.lastIndexOf(part, unit);
      return BigInt(found < 0 ? -1 : codePointIndex(text, found));
    },
  };
}

const outOfRange = (name: string, at: Range) => new Failure(at, `${name}: the index lies outside the text.`);

function substring(text: unknown, start: unknown, end: unknown, at: Range): string | Failure {
  if (typeof text !== "string") return needsString("substring", text, at);
  const from = countArgument("substring", start, 0, at);
  if (from instanceof Failure) return from;
  const first = unitIndex(text, from);
  if (end === undefined) return first === undefined ? outOfRange("substring", at) : text.slice(first);
  const to = countArgument("substring", end, 0, at);
  if (to instanceof Failure) return to;
  const last = unitIndex(text, to);
  return first === undefined || last === undefined || last < first
    ? outOfRange("substring", at)
    : text.slice(first, last);
}

function charAt(text: unknown, index: unknown, at: Range): string | Failure {
  if (typeof text !== "string") return needsString("charAt", text, at);
  const n = countArgument("charAt", index, 0, at);
  if (n instanceof Failure) return n;
  const unit = unitIndex(text, n);
  if (unit === undefined) return outOfRange("charAt", at);
  const code = text.codePointAt(unit);
  return code === undefined ? "" : String.fromCodePoint(code);
}

function replace(args: readonly unknown[], at: Range, frame: Frame): string | Failure {
  const [text, from, to, count] = args;
  if (typeof text !== "string") return needsString("replace", text, at);
  if (typeof from !== "string") return needsString("replace", from, at);
  if (typeof to !== "string") return needsString("replace", to, at);
  const limit = countArgument("replace", count, -1, at);
  return limit instanceof Failure ? limit : replaced(text, { from, to, limit }, at, frame);
}

/** The methods of strings: CEL's own and its strings extension. Positions count code points. */
export const stringMethods: Builtins = {
  contains: test("contains", (text, part) => text.includes(part)),
  startsWith: test("startsWith", (text, part) => text.startsWith(part)),
  endsWith: test("endsWith", (text, part) => text.endsWith(part)),
  matches: {
    arity: [2, 2],
    gives: "bool",
    run: ([text, pattern], at, frame) => matches(text, pattern, at, frame),
  },
  lowerAscii: change("lowerAscii", lowerAscii),
  upperAscii: change("upperAscii", upperAscii),
  trim: change("trim", trimmed),
  charAt: { arity: [2, 2], gives: "string", run: ([text, index], at) => charAt(text, index, at) },
  indexOf: indexOf("indexOf"),
  lastIndexOf: indexOf("lastIndexOf"),
  substring: {
    arity: [2, 3],
    gives: "string",
    run: ([text, start, end], at) => substring(text, start, end, at),
  },
  split: {
    arity: [2, 3],
    gives: "list",
    run: ([text, separator, count], at, frame) => {
      if (typeof text !== "string") return needsString("split", text, at);
      if (typeof separator !== "string") return needsString("split", separator, at);
      const limit = countArgument("split", count, -1, at);
      return limit instanceof Failure ? limit : split(text, separator, limit, at, frame);
    },
  },
  join: {
    arity: [1, 2],
    gives: "string",
    run: ([list, separator = ""], at, frame) => {
      if (!isList(list)) return new Failure(at, `join needs a list, not ${spokenKindOf(list)}.`);
      if (typeof separator !== "string") return needsString("join", separator, at);
      return spend(frame, list.length, at) ?? joinTexts(list, separator, at);
    },
  },
  replace: { arity: [3, 4], gives: "string", run: replace },
};
