import type { Turn } from "../../../../../shared/model/rollout.ts";
import { argumentsOf, assistantTurns, type Call } from "./chat.ts";
import { at, nameAt } from "../parts/untrusted.ts";

/**
 * Turns whose text holds calls and answers in the notation of Hermes and Qwen, with a turn for each: answers of tools
 * stand in a turn of the user there.
 */
export function withCalls(turns: readonly Turn[]): Turn[] {
  return turns.flatMap((turn) => {
    if (turn.role === "assistant") return assistantTurns(turn.text, callsIn(turn.text));
    const answers = [...turn.text.matchAll(/<tool_response>\n?([\s\S]*?)(?:\n?<\/tool_response>|$)/g)];
    return answers.length === 0 ? [turn] : answers.map(([, text = ""]) => ({ role: "tool", text }));
  });
}

/** One that is not JSON is a call of a tool that cannot be named. */
function callsIn(text: string): Call[] {
  return [...text.matchAll(/<tool_call>([\s\S]*?)<\/tool_call>/g)].map(([, body = ""]) => {
    try {
      const call: unknown = JSON.parse(body);
      const args = argumentsOf(at(call, "arguments"));
      return { tool: nameAt(call, "name") ?? "unreadable", ...(args === undefined ? {} : { args }) };
    } catch {
      return { tool: "unreadable", args: { input: body.trim() }, ok: false };
    }
  });
}
