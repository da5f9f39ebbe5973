import { RE2JS, RE2JSException } from "re2js";
import { Failure, type Range } from "./values.ts";

const maxPattern = 10_000;
const maxKnown = 200;
const known = new Map<string, RE2JS | string>();

/**
 * A pattern of RE2: linear in the text whatever the text is. Gives a sentence when RE2 refuses it (lookaround,
 * backreferences, too large).
 */
export function compilePattern(pattern: string): RE2JS | string {
  const found = known.get(pattern);
  if (found !== undefined) return found;
  const compiled = compiledAnew(pattern);
  if (known.size >= maxKnown) known.clear();
  known.set(pattern, compiled);
  return compiled;
}

/** Patterns that RE2 took when the build asked it: to compile those of the library anew is much of what a start takes. */
const taken = new Set<string>();

/** What this process has compiled so far, for the build to keep. */
export const takenPatterns = (): string[] =>
  [...known].filter(([, compiled]) => typeof compiled !== "string").map(([pattern]) => pattern);

/** From now on these are patterns of RE2 without its being asked; each is compiled when a text is first matched. */
export function takePatterns(patterns: readonly string[]): void {
  for (const pattern of patterns) taken.add(pattern);
}

/** A sentence when a pattern that is written out is refused. */
export function patternProblem(pattern: unknown): string | undefined {
  if (typeof pattern !== "string" || taken.has(pattern)) return undefined;
  const compiled = compilePattern(pattern);
  return typeof compiled === "string" ? compiled : undefined;
}

function compiledAnew(pattern: string): RE2JS | string {
  if (pattern.length > maxPattern) return `A pattern may have at most ${maxPattern} characters.`;
  try {
    return RE2JS.compile(pattern);
  } catch (e) {
    if (!(e instanceof RE2JSException)) throw e;
    const reason = e.message.replace(/^error parsing regexp: /, "");
    return `Not a pattern of RE2: ${reason}${reason.endsWith(".") ? "" : "."}`;
  }
}

/** The pattern, or the failure when it is only known while evaluating and RE2 refuses it. */
export function patternOrFailure(pattern: string, at: Range): RE2JS | Failure {
  const compiled = compilePattern(pattern);
  return typeof compiled === "string" ? new Failure(at, compiled) : compiled;
}
