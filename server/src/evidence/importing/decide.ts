import { rolloutFieldNames, type Rollout } from "../../../../shared/model/rollout.ts";
import { HarnessError } from "../../base/errors.ts";
import { compileCondition, type Program } from "../../expression/compileExpression.ts";

/** What a condition says about a rollout: an outcome, or why it cannot tell. */
export type Decision = "pass" | "fail" | { readonly reason: string };

/** Decides a rollout whose source has no verdict. */
export type Decide = (rollout: Rollout) => Decision;

const programs = new Map<string, Program>();

/**
 * The decision that a CEL condition over the fields of a rollout makes; nothing without one.
 * @throws HarnessError badInput with the place of the error
 */
export function decideBy(condition: string | undefined): Decide | undefined {
  if (condition === undefined) return undefined;
  const program = programs.get(condition) ?? compiled(condition);
  programs.set(condition, program);
  return (rollout) => {
    const answer = program.evaluate(rollout);
    if (!answer.ok)
      return { reason: `the condition ${condition} cannot be decided: ${answer.error.message}` };
    return answer.value === true ? "pass" : "fail";
  };
}

function compiled(condition: string): Program {
  const result = compileCondition(condition, { variables: rolloutFieldNames });
  if (result.ok) return result.program;
  const lines = result.problems.map(
    ({ start, end, message }) =>
      `${message}\n  ${condition}\n  ${" ".repeat(start)}${"^".repeat(Math.max(1, end - start))}`,
  );
  throw new HarnessError("badInput", `The condition that decides outcomes is wrong: ${lines.join("\n")}`);
}
