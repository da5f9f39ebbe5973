import { rolloutFieldNames, type Rollout } from "../../../../shared/model/rollout.ts";
import { HarnessError } from "../../base/errors.ts";
import { didYouMean, listed } from "../../base/similar.ts";
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
      `${message}${adviceFor(message)}\n  ${condition}\n  ${" ".repeat(start)}${"^".repeat(Math.max(1, end - start))}`,
  );
  throw new HarnessError("badInput", `The condition that decides outcomes is wrong: ${lines.join("\n")}`);
}

/** People write the name that their framework's file has: what it is called here once the file was read. */
function adviceFor(message: string): string {
  const name = /^Unknown variable: (\w+)/.exec(message)?.[1];
  if (name === undefined) return "";
  return (
    didYouMean(name, rolloutFieldNames) ||
    ` The score or reward of any framework is called \`reward\` here, and a number beside it \`components.${name}\`. The fields of a rollout are ${listed(rolloutFieldNames, "and")}.`
  );
}
