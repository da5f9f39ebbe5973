import type { Program } from "../../expression/compileExpression.ts";
import { Failure, type ExpressionProblem } from "../../expression/values.ts";
import type { Reader } from "./fieldTypes.ts";
import type { FieldProblem } from "./mappedRecord.ts";
import { compileMappingExpression, messageVariables, recordVariables } from "./mappingExpressions.ts";

/** The variables of one evaluation. */
export type Names = Readonly<Record<string, unknown>>;

/** What went wrong while one record was read. */
export class Fields {
  readonly problems: FieldProblem[] = [];
  /** Why there can be no record; the first reason counts. */
  reason: string | undefined;

  fail(field: string, expression: string, message: string): void {
    this.problems.push({ field, expression, message });
  }

  stop(reason: string): void {
    this.reason ??= reason;
  }
}

export type ReadField<T> = (variables: Names, fields: Fields) => T | null;

/** Makes the reader of one field: null where the source has nothing, and where something is wrong, which is noted. */
export type FieldReader = <T>(
  field: string,
  expression: string,
  read: Reader<T>,
  options?: { readonly perMessage: boolean },
) => ReadField<T>;

/** A problem of one expression of a mapping. */
export type MappingProblem = ExpressionProblem & { readonly field: string; readonly expression: string };

/** Compiles expressions as fields ask for them, and collects what is wrong with them. */
export class FieldCompiler {
  readonly problems: MappingProblem[] = [];

  program(
    field: string,
    expression: string,
    variables: readonly string[] = recordVariables,
  ): Program | undefined {
    const compiled = compileMappingExpression({ text: expression, variables });
    if (compiled.ok) return compiled.program;
    this.problems.push(...compiled.problems.map((problem) => ({ ...problem, field, expression })));
    return undefined;
  }

  readonly reader: FieldReader = (field, expression, read, options) => {
    const program = this.program(
      field,
      expression,
      options?.perMessage === true ? messageVariables : recordVariables,
    );
    return (variables, fields) => {
      const value = program?.run(variables);
      if (value instanceof Failure) {
        fields.fail(field, expression, value.message);
        return null;
      }
      const result = read(value);
      if (!("problem" in result)) return result.value;
      fields.fail(field, expression, result.problem);
      return null;
    };
  };
}
