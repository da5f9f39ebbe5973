import { needsString, type Builtins } from "./builtins.ts";
import { spend, tooLong, type Frame } from "./frame.ts";
import { patternOrFailure } from "./regex.ts";
import { Failure, none, Optional, type Range } from "./values.ts";

type Found = { readonly text: string; readonly found: readonly string[] };

/** What the pattern finds: its group where it has one, the whole match where it has none. */
function findings(
  name: string,
  [text, pattern]: readonly unknown[],
  most: number,
  at: Range,
  frame: Frame,
): Found | Failure {
  if (typeof text !== "string") return needsString(name, text, at);
  if (typeof pattern !== "string") return needsString(name, pattern, at);
  const compiled = patternOrFailure(pattern, at);
  if (compiled instanceof Failure) return compiled;
  if (compiled.groupCount() > 1) return new Failure(at, `${name} takes a pattern with at most one group.`);
  const stopped = spend(frame, text.length >> 4, at);
  if (stopped) return stopped;
  const matcher = compiled.matcher(text);
  const found: string[] = [];
  while (found.length < most && matcher.find()) {
    const group = matcher.group(compiled.groupCount());
    if (group !== null) found.push(group);
  }
  return { text, found };
}

function replace(args: readonly unknown[], at: Range, frame: Frame): string | Failure {
  const [text, pattern, by] = args;
  if (typeof text !== "string") return needsString("regex.replace", text, at);
  if (typeof pattern !== "string") return needsString("regex.replace", pattern, at);
  if (typeof by !== "string") return needsString("regex.replace", by, at);
  const compiled = patternOrFailure(pattern, at);
  if (compiled instanceof Failure) return compiled;
  const stopped = spend(frame, text.length >> 4, at);
  if (stopped) return stopped;
  const matcher = compiled.matcher(text);
  let [done, end] = ["", 0];
  while (matcher.find()) {
    done += text.slice(end, matcher.start());
    const piece = expanded(by, (group) => (group <= matcher.groupCount() ? matcher.group(group) : undefined));
    if (piece === undefined)
      return new Failure(at, "regex.replace: the replacement names a group that does not exist.");
    done += piece;
    end = matcher.end();
    const failure = tooLong(done.length, at);
    if (failure) return failure;
  }
  return done + text.slice(end);
}

/** `\1` stands for the first group, `\\` for a backslash, as in RE2; undefined when there is no such group. */
function expanded(by: string, groupOf: (group: number) => string | null | undefined): string | undefined {
  const unknown: string[] = [];
  const text = by.replace(/\\(\d|\\)/g, (_, what: string) => {
    if (what === "\\") return "\\";
    const group = groupOf(Number(what));
    if (group === undefined) unknown.push(what);
    return group ?? "";
  });
  return unknown.length === 0 ? text : undefined;
}

/** CEL's regex extension. */
export const regexFunctions: Builtins = {
  "regex.extract": {
    arity: [2, 2],
    gives: "optional_type",
    run: (args, at, frame) => {
      const result = findings("regex.extract", args, 1, at, frame);
      if (result instanceof Failure) return result;
      const [first] = result.found;
      return first === undefined ? none : new Optional(true, first);
    },
  },
  "regex.extractAll": {
    arity: [2, 2],
    gives: "list",
    run: (args, at, frame) => {
      const result = findings("regex.extractAll", args, Infinity, at, frame);
      return result instanceof Failure ? result : result.found;
    },
  },
  "regex.replace": { arity: [3, 3], gives: "string", run: replace },
};
