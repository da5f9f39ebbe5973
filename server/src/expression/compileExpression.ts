import type { Builtins } from "./builtins.ts";
import { compileClosure } from "./compileClosure.ts";
import { maxSteps, type Run } from "./frame.ts";
import { globalFunctions, methods } from "./functions.ts";
import { parseExpression } from "./parse.ts";
import type { Scope } from "./scope.ts";
import { Failure, spokenKind, spokenKindOf, type ExpressionProblem, type Kind } from "./values.ts";

/** The variables of one evaluation by name: values as JSON.parse gives them. */
export type Variables = Readonly<Record<string, unknown>>;

export type Evaluation =
  | { readonly ok: true; readonly value: unknown }
  | { readonly ok: false; readonly error: ExpressionProblem };

/** An expression that is ready to run. */
export interface Program {
  readonly text: string;
  /** The kind of its value where that is known beforehand. */
  readonly kind: Kind | undefined;
  /** The value, or the Failure; the fastest way, for loops over many records. Never throws. */
  readonly run: (variables: Variables) => unknown;
  /** The same as a result. Never throws. */
  readonly evaluate: (variables: Variables) => Evaluation;
}

export interface CompileOptions {
  /** Names of the variables that an evaluation gets. */
  readonly variables: readonly string[];
  /** Functions besides those of the language. */
  readonly functions?: Builtins;
}

export type CompileResult =
  | { readonly ok: true; readonly program: Program }
  | { readonly ok: false; readonly problems: readonly ExpressionProblem[] };

/**
 * Compiles a CEL expression over JSON values. Every problem is reported with its range: unknown variables and
 * functions, wrong numbers of arguments, kinds that do not fit, patterns that RE2 refuses. Never throws.
 */
export function compileExpression(
  text: string,
  { variables, functions = {} }: CompileOptions,
): CompileResult {
  const parsed = parseExpression(text);
  if (!parsed.ok) {
    const last = Math.max(0, text.length - 1);
    const { problem } = parsed;
    return { ok: false, problems: [{ ...problem, start: Math.min(problem.start, last) }] };
  }
  const scope: Scope = {
    roots: new Set(variables),
    locals: new Map(),
    functions: { ...globalFunctions, ...functions },
    methods,
    problems: [],
  };
  const { run, kind } = compileClosure(parsed.ast, scope);
  if (scope.problems.length > 0)
    return { ok: false, problems: scope.problems.sort((a, b) => a.start - b.start || a.end - b.end) };
  return { ok: true, program: programOf(text, kind, run) };
}

/** The same for an expression that must be true or false; its `run` gives a boolean or a Failure. */
export function compileCondition(text: string, options: CompileOptions): CompileResult {
  const compiled = compileExpression(text, options);
  if (!compiled.ok) return compiled;
  const { program } = compiled;
  const whole = { start: 0, end: text.length };
  if (program.kind === "bool") return compiled;
  if (program.kind !== undefined) {
    const message = `A condition must be true or false; this is ${spokenKind(program.kind)}.`;
    return { ok: false, problems: [{ ...whole, message }] };
  }
  return {
    ok: true,
    program: programFrom(text, undefined, (variables) => {
      const value = program.run(variables);
      return typeof value === "boolean" || value instanceof Failure
        ? value
        : new Failure(whole, `A condition must be true or false; this is ${spokenKindOf(value)}.`);
    }),
  };
}

function programOf(text: string, kind: Kind | undefined, run: Run): Program {
  return programFrom(text, kind, (roots) => {
    try {
      return run({ roots, locals: [], steps: maxSteps });
    } catch (e) {
      // Data of a hostile shape can still exhaust the stack or the heap's limits on one value.
      if (e instanceof RangeError)
        return new Failure({ start: 0, end: text.length }, `Too large: ${e.message}.`);
      throw e;
    }
  });
}

function programFrom(text: string, kind: Kind | undefined, run: Program["run"]): Program {
  return {
    text,
    kind,
    run,
    evaluate: (variables) => {
      const value = run(variables);
      return value instanceof Failure
        ? { ok: false, error: { start: value.start, end: value.end, message: value.message } }
        : { ok: true, value };
    },
  };
}
