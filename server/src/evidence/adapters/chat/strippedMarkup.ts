import type { Turn } from "../../../../../shared/model/rollout.ts";
import { withCalls } from "./hermes.ts";

const roleLine = /^(system|user|assistant|tool)$/;

/** The chat template without its special tokens leaves the role alone on a line. */
export function strippedPrompt(input: string): Turn[] {
  const turns = rolesOf(input);
  // What ends the prompt is the empty turn that the policy is to fill.
  return turns.at(-1)?.role === "assistant" && turns.at(-1)?.text.trim() === "" ? turns.slice(0, -1) : turns;
}

function rolesOf(text: string, first = "user"): Turn[] {
  const turns: { role: string; lines: string[] }[] = [];
  for (const line of text.split("\n")) {
    if (roleLine.test(line)) turns.push({ role: line, lines: [] });
    else if (turns.length === 0) turns.push({ role: first, lines: [line] });
    else turns.at(-1)?.lines.push(line);
  }
  return turns.map(({ role, lines }) => ({ role, text: lines.join("\n").replace(/\n+$/, "") }));
}

/** One text holds all turns: the policy's own, and the answers of tools, which the template puts in a user turn. */
export function strippedCompletion(output: string): Turn[] {
  if (!output.includes("<tool_call>") && !output.includes("<tool_response>"))
    return [{ role: "assistant", text: output }];
  return withCalls(rolesOf(output, "assistant"));
}
