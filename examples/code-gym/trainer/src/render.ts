import type { Turn } from "../../../../shared/model/rollout.ts";
import type { Decision } from "../../../gym/src/policy.ts";
import { showInstruction, showProgram, showValue } from "./language.ts";
import type { Call, Exchange, Session, TestResult } from "./session.ts";

function argumentsOf(call: Call): Record<string, unknown> {
  switch (call.tool) {
    case "write":
      return call.instruction === null ? {} : { text: showInstruction(call.instruction) };
    case "change":
      return call.instruction === null
        ? { line: call.at + 1 }
        : { line: call.at + 1, text: showInstruction(call.instruction) };
    case "special":
      return call.test === null
        ? {}
        : { input: showValue(call.test.input), output: showValue(call.test.output) };
    case "undo":
    case "run":
    case "submit":
      return {};
  }
}

function renderTest({ test, outcome, passed }: TestResult): string {
  const shown = `f(${showValue(test.input)})`;
  if (passed) return `PASS ${shown}`;
  const got = "value" in outcome ? showValue(outcome.value) : `an error: ${outcome.error}`;
  return `FAIL ${shown}: expected ${showValue(test.output)}, got ${got}`;
}

function renderReply({ call, ok, results }: Exchange): string {
  if (results !== null) {
    const passed = results.filter((r) => r.passed).length;
    return [...results.map(renderTest), `${passed} of ${results.length} passed`].join("\n");
  }
  if (call.tool === "submit") return "Submitted.";
  if (ok) return "Done.";
  return call.tool === "special"
    ? "There is no test to write a case for; run the tests first."
    : "There is no such line.";
}

function promptOf({ item: { description, visible } }: Session): string {
  const tests = visible.map(({ input, output }) => `f(${showValue(input)}) = ${showValue(output)}`);
  return ["Write f, which takes a list of numbers.", description, "", ...tests].join("\n");
}

/** The rollout as a person reads it: the task, each call and its answer; the program stands with the submission. */
export function renderTurns(session: Session, decisions: readonly Decision[]): Turn[] {
  const turns: Turn[] = [{ role: "user", text: promptOf(session) }];
  session.exchanges.forEach((exchange, i) => {
    const { call, ok } = exchange;
    const args = argumentsOf(call);
    const text =
      call.tool === "submit"
        ? ["submit", ...showProgram(session.program)].join("\n")
        : call.tool === "special" && call.test !== null
          ? `special: when ${showValue(call.test.input)} give ${showValue(call.test.output)}`
          : [call.tool, ...Object.values(args)].join(" ");
    turns.push({
      role: "assistant",
      text,
      tool: call.tool,
      args,
      ok,
      tokens: decisions[i]?.picks.length ?? 0,
    });
    turns.push({ role: "tool", text: renderReply(exchange) });
  });
  return turns;
}
