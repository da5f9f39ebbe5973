import { Environment, type ASTNode } from "@marcbachmann/cel-js";
import { problemOf } from "./problemOf.ts";
import type { ExpressionProblem } from "./values.ts";

let environment: Environment | undefined;

/** The parser alone: the library's own evaluator is never called, because its patterns can hang. */
function parser(): Environment {
  environment ??= new Environment({
    unlistedVariablesAreDyn: true,
    enableOptionalTypes: true,
    limits: { maxAstNodes: 2000, maxDepth: 64 },
  });
  return environment;
}

export type Parsed =
  | { readonly ok: true; readonly ast: ASTNode }
  | { readonly ok: false; readonly problem: ExpressionProblem };

/** The syntax tree of an expression, for both evaluators. Never throws; there is at most one problem, where the text breaks off. */
export function parseExpression(text: string): Parsed {
  try {
    return { ok: true, ast: parser().parse(text).ast };
  } catch (e) {
    return { ok: false, problem: problemOf(e, text) };
  }
}
