import type { ExpressionProblem } from "../../expression/values.ts";
import { compileExpression, type CompileResult } from "../../expression/compileExpression.ts";
import { isRecord } from "../../expression/values.ts";
import { messageFunctions } from "./messageFunctions.ts";

/** One expression of a mapping file: where it stands in the document, and what it may name. */
export interface MappingExpression {
  readonly path: readonly string[];
  readonly text: string;
  readonly variables: readonly string[];
}

export const fileVariables = ["file"] as const;
export const recordVariables = ["record", "file", "line"] as const;
export const messageVariables = [...recordVariables, "message", "index"] as const;

/** What a mapping says of a file as a whole. */
export const placeNames = ["run", "version"] as const;

/** Every expression of a mapping document, which need not be valid yet. */
export function mappingExpressions(document: unknown): MappingExpression[] {
  if (!isRecord(document)) return [];
  const { fields } = document;
  const found: MappingExpression[] = placeNames.flatMap((name) => {
    const text = document[name];
    return typeof text === "string" ? [{ path: [name], text, variables: fileVariables }] : [];
  });
  if (!isRecord(fields)) return found.filter(({ text }) => text !== "");
  for (const [name, value] of Object.entries(fields)) {
    const path = ["fields", name];
    if (typeof value === "string") found.push({ path, text: value, variables: recordVariables });
    if (!isRecord(value)) continue;
    for (const [key, text] of Object.entries(value)) {
      const perMessage = name === "turns" && key !== "from";
      if (typeof text === "string")
        found.push({
          path: [...path, key],
          text,
          variables: perMessage ? messageVariables : recordVariables,
        });
    }
  }
  return found.filter(({ text }) => text !== "");
}

/** Compiles one of them with the functions that mapping files have. */
export const compileMappingExpression = ({
  text,
  variables,
}: Omit<MappingExpression, "path">): CompileResult =>
  compileExpression(text, { variables, functions: messageFunctions });

/** What is wrong with the expressions of a mapping document, each with its range in the text of its expression. */
export function mappingProblems(
  document: unknown,
): (ExpressionProblem & { readonly path: readonly string[]; readonly text: string })[] {
  return mappingExpressions(document).flatMap((expression) => {
    const compiled = compileMappingExpression(expression);
    const { path, text } = expression;
    return compiled.ok ? [] : compiled.problems.map((problem) => ({ ...problem, path, text }));
  });
}
