import { type Expr, partsOf } from "./expr.ts";
import { rolloutVariables, type Variable } from "./variables.ts";

/**
 * A rollout of which the source kept no turn, not even the prompt, says nothing about what its policy did: a condition on its
 * turns has no value there, instead of one that says that the policy did nothing. What asks for the number of messages alone
 * has a value everywhere.
 */
export function needTranscript(e: Expr): Expr {
  if (e.op === "and" || e.op === "or")
    return { ...e, left: needTranscript(e.left), right: needTranscript(e.right) };
  if (e.op === "not") return { ...e, of: needTranscript(e.of) };
  if (e.type !== "bool" || !readsTurns(e)) return e;
  return { op: "choose", type: "bool", when: hasMessages, then: e, other: noValue };
}

const noValue: Expr = { op: "const", type: "bool", value: null };

const messages: Variable = ((): Variable => {
  const found = rolloutVariables.find(({ name }) => name === "n_messages");
  if (found === undefined) throw new Error("A rollout has no number of messages.");
  return found;
})();

const hasMessages: Expr = {
  op: "compare",
  type: "bool",
  sign: ">",
  left: { op: "variable", type: "int", variable: messages, of: "this" },
  right: { op: "const", type: "int", value: 0n },
};

/** Whether an expression over a rollout reads its turns, or what is derived from them. */
function readsTurns(e: Expr): boolean {
  if (e.op === "quantifier") return true;
  if (e.op === "variable") return e.type === "turns" || (e.variable.table === "f" && e.variable !== messages);
  if (e.op === "call" && (e.definition.table === "f" || e.definition.table === "a")) return true;
  return partsOf(e).some(readsTurns);
}
