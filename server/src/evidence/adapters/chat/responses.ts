import type { Turn } from "../../../../../shared/model/rollout.ts";
import { argumentsOf, assistantTurns, contentText, roleOf, thought, type Call } from "./chat.ts";
import { at, fieldsAt, isFields, listAt, nameAt, textAt, without, type Fields } from "../parts/untrusted.ts";

/** What the policy said until something else spoke: thoughts, words and calls that the items give one by one. */
interface Said {
  readonly words: string[];
  readonly calls: Call[];
  tokens: number | undefined;
}

/** Items of OpenAI's Responses API, as input or as output, as turns. What is no item is left out. */
export function responseTurns(items: unknown): Turn[] {
  if (typeof items === "string") return [{ role: "user", text: items }];
  if (!Array.isArray(items)) return [];
  const turns: Turn[] = [];
  let said: Said | undefined;
  const flush = (): void => {
    if (said === undefined) return;
    const [first, ...rest] = assistantTurns(said.words.filter(Boolean).join("\n\n"), said.calls);
    if (first !== undefined)
      turns.push(said.tokens === undefined ? first : { ...first, tokens: said.tokens }, ...rest);
    said = undefined;
  };
  const speaking = (): Said => (said ??= { words: [], calls: [], tokens: undefined });
  for (const item of items) {
    if (!isFields(item)) continue;
    const type = nameAt(item, "type") ?? "message";
    if (type === "reasoning") {
      if (said !== undefined && said.calls.length > 0) flush();
      speaking().words.push(reasoningOf(item));
    } else if (type === "message") {
      const role = roleOf(textAt(item, "role"));
      const text = contentText(item["content"]);
      if (role !== "assistant") {
        flush();
        turns.push({ role, text });
        continue;
      }
      // Words after calls are what the policy said next.
      if (said !== undefined && (said.calls.length > 0 || said.tokens !== undefined)) flush();
      const words = speaking();
      words.words.push(text);
      words.tokens = generated(item);
    } else if (type.endsWith("_output")) {
      flush();
      turns.push({ role: "tool", text: contentText(item["output"]) });
    } else speaking().calls.push(callIn(item, type));
  }
  flush();
  return turns;
}

function reasoningOf(item: Fields): string {
  const parts = [...(listAt(item, "summary") ?? []), ...(listAt(item, "content") ?? [])];
  return thought(parts.flatMap((part) => textAt(part, "text") ?? []).join("\n"));
}

/** A call of a function has a name; calls of built-in tools are named by their type. */
function callIn(item: Fields, type: string): Call {
  const args = argumentsOf(at(item, "arguments") ?? at(item, "input"));
  const named = nameAt(item, "name");
  if (named !== undefined) return { tool: named, ...(args === undefined ? {} : { args }) };
  // What a shell was told to run is in its action.
  const action = type === "local_shell_call" ? fieldsAt(item, "action") : undefined;
  return { tool: type.replace(/_call$/, ""), args: args ?? action ?? without(item, "id", "type", "status") };
}

/** Token ids are kept for training only; they say how many tokens a message took. */
function generated(item: Fields): number | undefined {
  const ids = listAt(item, "generation_token_ids");
  return ids === undefined || ids.length === 0 ? undefined : ids.length;
}
