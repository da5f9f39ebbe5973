import type { Builtins } from "./builtins.ts";
import type { Run } from "./frame.ts";
import { Failure, type ExpressionProblem, type Kind, type Range } from "./values.ts";

/** A compiled part of an expression. */
export interface Compiled {
  readonly run: Run;
  /** The kind of its value where that is known before there is one. */
  readonly kind?: Kind | undefined;
  /** Its value where that is written in the expression. */
  readonly literal?: { readonly value: unknown };
}

/** What the compiler knows at one place of an expression. */
export interface Scope {
  readonly roots: ReadonlySet<string>;
  /** Variables of macros, and the slot of the frame each lies in. */
  readonly locals: ReadonlyMap<string, number>;
  readonly functions: Builtins;
  readonly methods: Builtins;
  readonly problems: ExpressionProblem[];
}

/** The scope inside a macro, with its variable, and the slot that the macro fills. */
export function withLocal(scope: Scope, name: string): { readonly scope: Scope; readonly slot: number } {
  // One slot per level: macros side by side share it, macros inside each other do not.
  const slot = 1 + Math.max(-1, ...scope.locals.values());
  return { scope: { ...scope, locals: new Map([...scope.locals, [name, slot]]) }, slot };
}

/** Notes a problem; what is compiled in its place fails, so that compiling can go on behind it. */
export function problem(scope: Scope, at: Range, message: string): Compiled {
  scope.problems.push({ start: at.start, end: Math.max(at.end, at.start + 1), message });
  const failure = new Failure(at, message);
  return { run: () => failure };
}

/** Notes a problem when the kind of a part is known and is not bool. */
export function expectBool(scope: Scope, part: Compiled, at: Range, where: string, spoken: string): void {
  if (part.kind !== undefined && part.kind !== "bool")
    problem(scope, at, `${where} must be true or false, not ${spoken}.`);
}
