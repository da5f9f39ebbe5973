import type { Turn } from "../../../../shared/model/rollout.ts";
import type { Decision } from "../../../gym/src/policy.ts";
import type { Call, Line, Step, Working } from "./working.ts";

const show1 = (value: number): string => (value < 0 ? `(${value})` : `${value}`);

function renderStep(step: Step | null): string {
  if (step === null) return "Nothing is left to do.";
  if (step.kind === "take") return `Next comes ${step.number}.`;
  const { operator, left, right } = step.place;
  return `${show1(left)} ${operator} ${show1(right)} = ${step.result.value}`;
}

function renderCall(call: Call): string {
  switch (call.tool) {
    case "step":
      return renderStep(call.step);
    case "check":
      return "Let me check this step.";
    case "undo":
      return "I take this step back.";
    case "think":
      return "Let me think about this carefully, one thing after the other.";
    case "open":
      return "<answer>";
    case "answer":
      return call.value;
    case "close":
      return "</answer>";
    case "stop":
      return "(end)";
  }
}

function argumentsOf(call: Call): Record<string, unknown> {
  if (call.tool === "answer") return { value: call.value, source: call.source };
  if (call.tool !== "step" || call.step === null) return {};
  if (call.step.kind === "take") return { number: call.step.number };
  const { operator, left, right } = call.step.place;
  return { operation: `${left} ${operator} ${right}`, result: call.step.result.value };
}

function promptOf({ item, settings }: Working): string {
  const task = `${item.question}\nWork in steps and write the result between <answer> and </answer>.`;
  if (!settings.retrieval) return task;
  return `The most similar solved problem:\n${item.question} <answer>${item.answer}</answer>\n\n${task}`;
}

/** The rollout as a person reads it: the problem, each line, and what answered it. */
export function renderTurns(working: Working, decisions: readonly Decision[]): Turn[] {
  const turns: Turn[] = [{ role: "user", text: promptOf(working) }];
  working.lines.forEach(({ call, ok, reply }: Line, i) => {
    turns.push({
      role: "assistant",
      text: renderCall(call),
      tool: call.tool,
      args: argumentsOf(call),
      ok,
      tokens: decisions[i]?.picks.length ?? 0,
    });
    if (reply !== null) turns.push({ role: "tool", text: reply });
  });
  return turns;
}
