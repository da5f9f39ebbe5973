import type { Turn } from "../../../../../shared/model/rollout.ts";
import { assistantTurns, callOf, type Call } from "../chat/chat.ts";
import {
  at,
  booleanAt,
  countAt,
  fieldsAt,
  idAt,
  isFields,
  listAt,
  nameAt,
  numberAt,
  textAt,
  type Fields,
} from "../parts/untrusted.ts";

/**
 * Messages of tau2 as turns. The user that is simulated has tools of its own in some domains: its calls stand in its
 * text, for `tool` names what the policy called.
 */
export function tau2Turns(messages: readonly unknown[]): Turn[] {
  const flat = messages.flatMap(single);
  const succeeded = new Map<string, boolean>();
  for (const message of flat) {
    const [id, error] = [idAt(message, "id"), booleanAt(message, "error")];
    if (textAt(message, "role") === "tool" && id !== undefined && error !== undefined)
      succeeded.set(id, !error);
  }
  return flat.flatMap((message): Turn[] => {
    const role = textAt(message, "role");
    const calls = (listAt(message, "tool_calls") ?? []).map(callOf).filter((call) => call !== undefined);
    if (role === "assistant") return assistant(message, calls, succeeded);
    if (role === "tool") return [toolTurn(message)];
    const called = calls.map(({ tool, args }) => `[${tool} ${JSON.stringify(args ?? {})}]`);
    const text = [textOf(message), ...called].filter(Boolean).join("\n");
    return [{ role: role === "system" ? "system" : "user", text }];
  });
}

/** Answers to several calls at once are one message. */
function single(message: unknown): Fields[] {
  if (!isFields(message)) return [];
  const several = listAt(message, "tool_messages");
  return several === undefined ? [message] : several.filter(isFields);
}

/** Spoken messages have their words apart from the sound. */
const textOf = (message: Fields): string =>
  booleanAt(message, "is_audio") === true
    ? (textAt(message, "audio_script_gold") ?? "[audio]")
    : (textAt(message, "content") ?? "");

function assistant(message: Fields, calls: readonly Call[], succeeded: ReadonlyMap<string, boolean>): Turn[] {
  const answered = calls.map((call) => {
    const ok = call.id === undefined ? undefined : succeeded.get(call.id);
    return ok === undefined ? call : { ...call, ok };
  });
  const [first, ...rest] = assistantTurns(textOf(message), answered);
  const tokens = countAt(message, "usage", "completion_tokens");
  const seconds = numberAt(message, "generation_time_seconds");
  if (first === undefined) return rest;
  return [
    {
      ...first,
      ...(tokens === undefined ? {} : { tokens }),
      ...(seconds === undefined || seconds < 0 ? {} : { ms: seconds * 1000 }),
    },
    ...rest,
  ];
}

function toolTurn(message: Fields): Turn {
  const text = textAt(message, "content") ?? "";
  return { role: "tool", text: nameAt(message, "requestor") === "user" ? `[to the user] ${text}` : text };
}

/**
 * Tokens that the policy wrote: null when a message of it was not counted. The greeting that every conversation begins
 * with is not the policy's.
 */
export function policyTokens(messages: readonly unknown[]): number | null {
  const own = messages.filter((message) => textAt(message, "role") === "assistant");
  const counted = own.filter((message, i) => i > 0 || fieldsAt(message, "usage") !== undefined);
  let sum = 0;
  for (const message of counted) {
    const tokens = countAt(message, "usage", "completion_tokens");
    if (tokens === undefined) return null;
    sum += tokens;
  }
  return counted.length === 0 ? null : sum;
}

/** Messages of a spoken conversation, which is stored as moments in which both sides may speak and call tools. */
export function messagesOfTicks(ticks: readonly unknown[]): unknown[] {
  return joined(
    ticks.flatMap((tick) => [
      ...side(tick, "agent", "assistant"),
      ...(listAt(tick, "agent_tool_results") ?? []),
      ...side(tick, "user", "user"),
      ...(listAt(tick, "user_tool_results") ?? []),
    ]),
  );
}

function side(tick: unknown, name: "agent" | "user", role: string): Fields[] {
  const chunk = fieldsAt(tick, `${name}_chunk`);
  const calls = listAt(tick, `${name}_tool_calls`) ?? [];
  const content =
    chunk === undefined ? "" : (textAt(chunk, "audio_script_gold") ?? textAt(chunk, "content") ?? "");
  const sound = content === "" || at(chunk, "is_audio") === true;
  const words = sound ? (textAt(chunk, "audio_script_gold") ?? "") : content;
  return words === "" && calls.length === 0 ? [] : [{ role, content: words, tool_calls: calls }];
}

/** Words that one side said without being interrupted are one message. */
function joined(messages: readonly unknown[]): unknown[] {
  const out: Fields[] = [];
  for (const message of messages) {
    if (!isFields(message)) continue;
    const last = out.at(-1);
    const plain = (m: Fields): boolean =>
      m["role"] !== "tool" && (listAt(m, "tool_calls") ?? []).length === 0;
    if (last !== undefined && last["role"] === message["role"] && plain(last) && plain(message))
      out[out.length - 1] = {
        ...last,
        content: `${textAt(last, "content") ?? ""}${textAt(message, "content") ?? ""}`,
      };
    else out.push(message);
  }
  return out;
}
