import type { Turn } from "../../../../../shared/model/rollout.ts";
import { roleOf } from "./chat.ts";
import { withCalls } from "./hermes.ts";

/** How chat templates open a turn: ChatML, Llama 3, Gemma, DeepSeek. */
const opener =
  /<\|im_start\|>([a-z]+)\n?|<\|start_header_id\|>([a-z]+)<\|end_header_id\|>\n*|<start_of_turn>([a-z]+)\n?|<｜(User|Assistant)｜>/g;
const special =
  /<\|(?:im_end|eot_id|eom_id|begin_of_text|end_of_text|endoftext)\|>|<end_of_turn>|<bos>|<eos>|<｜(?:begin|end)▁of▁sentence｜>/g;

/** Whether a text opens a turn with the marks of a chat template. */
export const hasMarkup = (text: string): boolean => text.search(opener) !== -1;

/** The turns of a prompt that a chat template rendered; one of the user when it bears no marks. */
export function promptTurns(text: string): Turn[] {
  const turns = cut(text, "user");
  const last = turns.at(-1);
  // What ends the prompt is the empty turn that the policy is to fill, or the thought that the template opens for it.
  return last?.role === "assistant" && /^(?:<think>)?$/.test(last.text) ? turns.slice(0, -1) : turns;
}

/** The turns of what follows a prompt: the policy's own, and what was said to it in between. */
export function completionTurns(text: string): Turn[] {
  const turns = cut(text, "assistant");
  return withCalls(turns.length === 0 ? [{ role: "assistant", text: "" }] : turns);
}

function cut(text: string, first: string): Turn[] {
  const turns: Turn[] = [];
  let role = first;
  let from = 0;
  const add = (end: number): void => {
    const words = text.slice(from, end).replaceAll(special, "").trim();
    // The words before the first mark are a turn only if there are any.
    if (words !== "" || role !== first || turns.length > 0) turns.push({ role, text: words });
  };
  for (const match of text.matchAll(opener)) {
    if (match.index > 0) add(match.index);
    role = roleOf(match[1] ?? match[2] ?? match[3] ?? match[4]);
    from = match.index + match[0].length;
  }
  add(text.length);
  return turns;
}
