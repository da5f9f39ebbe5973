import type { Turn } from "../../../../../shared/model/rollout.ts";
import { withCalls } from "./hermes.ts";

const roleLine = /^(system|user|assistant|tool)$/;

/** The chat template without its special tokens leaves the role alone on a line. */
export function strippedPrompt(input: string): Turn[] {
  const turns = rolesOf(input);
  // What ends the prompt is the empty turn that the policy is to fill.
  return turns.at(-1)?.role === "assistant" && turns.at(-1)?.text.trim() === "" ? turns.slice(0, -1) : turns;
}

function rolesOf(text: string): Turn[] {
  const turns: { role: string; lines: string[] }[] = [];
  for (const line of text.split("\n")) {
    if (roleLine.test(line)) turns.push({ role: line, lines: [] });
    else if (turns.length === 0) turns.push({ role: "user", lines: [line] });
    else turns.at(-1)?.lines.push(line);
  }
  return turns.map(asTurn);
}

const asTurn = ({ role, lines }: { readonly role: string; readonly lines: readonly string[] }): Turn => ({
  role,
  text: lines.join("\n").replace(/\n+$/, ""),
});

/**
 * One text holds all turns: the policy's own, and the answers of tools, which the template puts in a user turn. Only an answer to a
 * call opens a turn: a role's name on a line of its own anywhere else was written by the policy, which played the other side.
 */
export function strippedCompletion(output: string): Turn[] {
  if (!output.includes("<tool_call>")) return [{ role: "assistant", text: output }];
  const lines = output.split("\n");
  const turns: { role: string; lines: string[] }[] = [{ role: "assistant", lines: [] }];
  for (const [i, line] of lines.entries()) {
    const now = turns.at(-1);
    const last = now?.lines.findLast((l) => l.trim() !== "")?.trim() ?? "";
    if (now !== undefined && opensTurn({ line, next: lines[i + 1], last, speaker: now.role }))
      turns.push({ role: line, lines: [] });
    else now?.lines.push(line);
  }
  return withCalls(turns.map(asTurn));
}

/** Whether a line of a completion is the mark of the template, and no line of whoever speaks. */
function opensTurn({
  line,
  next,
  last,
  speaker,
}: {
  readonly line: string;
  readonly next: string | undefined;
  /** The last line with words that the speaker has so far; none opens the turn. */
  readonly last: string;
  readonly speaker: string;
}): boolean {
  const isAnswer = line === "tool" || (line === "user" && next?.startsWith("<tool_response>") === true);
  switch (speaker) {
    case "assistant":
      return isAnswer && last.endsWith("</tool_call>");
    case "user":
      return line === "assistant" && last.endsWith("</tool_response>");
    default:
      return line === "assistant" || line === "tool";
  }
}
