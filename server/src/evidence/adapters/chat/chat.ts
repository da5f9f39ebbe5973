import type { Turn } from "../../../../../shared/model/rollout.ts";
import {
  at,
  booleanAt,
  fieldsAt,
  idAt,
  isFields,
  listAt,
  nameAt,
  textAt,
  type Fields,
} from "../parts/untrusted.ts";

/** A call that a message makes. */
export interface Call {
  readonly tool: string;
  readonly args?: Readonly<Record<string, unknown>>;
  readonly id?: string | undefined;
  readonly ok?: boolean | undefined;
}

/**
 * The turns of one thing that the policy said: the text with the first call, then one turn per further call, so that
 * every call is seen by diagnostics that count them.
 */
export function assistantTurns(text: string, calls: readonly Call[]): Turn[] {
  const [first, ...rest] = calls;
  const turnOf = (words: string, call: Call | undefined): Turn => ({
    role: "assistant",
    text: words,
    ...(call === undefined ? {} : { tool: call.tool }),
    ...(call?.args === undefined ? {} : { args: call.args }),
    ...(call?.ok === undefined ? {} : { ok: call.ok }),
  });
  return [turnOf(text, first), ...rest.map((call) => turnOf("", call))];
}

/** The text of a message's content: a text, or a list of parts of which those that are not text are named. */
export function contentText(content: unknown): string {
  if (typeof content === "string") return content;
  if (Array.isArray(content)) return content.map(partText).filter(Boolean).join("\n");
  if (isFields(content)) return partText(content);
  return content === null || content === undefined ? "" : JSON.stringify(content);
}

function partText(part: unknown): string {
  if (typeof part === "string") return part;
  if (!isFields(part)) return part === null || part === undefined ? "" : JSON.stringify(part);
  const type = nameAt(part, "type");
  if (type === "tool_use" || type === "tool_call") return "";
  const reasoning = textAt(part, "thinking") ?? textAt(part, "reasoning");
  if (reasoning !== undefined) return thought(reasoning);
  const text = textAt(part, "text") ?? textAt(part, "refusal");
  if (text !== undefined) return text;
  if ("content" in part) return contentText(part["content"]);
  return type === undefined ? "" : `[${type}]`;
}

/** Reasoning is kept in the turn's text, marked as models mark it. */
export function thought(reasoning: string): string {
  return reasoning.trim() === "" ? "" : `<think>\n${reasoning.trim()}\n</think>`;
}

/** Arguments as an object: as they are, as JSON in a text, or under `input` when they are neither. */
export function argumentsOf(value: unknown): Readonly<Record<string, unknown>> | undefined {
  if (isFields(value)) return value;
  if (value === null || value === undefined || value === "") return undefined;
  if (typeof value !== "string") return { input: value };
  try {
    const parsed: unknown = JSON.parse(value);
    if (isFields(parsed)) return parsed;
  } catch {
    // Not JSON: kept as it was written.
  }
  return { input: value };
}

/** A call in one of the notations of OpenAI, Anthropic and their imitators; also as a JSON text. */
export function callOf(value: unknown): Call | undefined {
  let call = value;
  if (typeof value === "string")
    try {
      call = JSON.parse(value);
    } catch {
      return undefined;
    }
  const inner = fieldsAt(call, "function") ?? (isFields(call) ? call : undefined);
  const tool = nameAt(inner, "name") ?? nameAt(call, "function") ?? nameAt(call, "tool_name");
  if (tool === undefined) return undefined;
  const args = argumentsOf(at(inner, "arguments") ?? at(inner, "input") ?? at(inner, "args"));
  return { tool, id: idAt(call, "id"), ...(args === undefined ? {} : { args }) };
}

function callsOf(message: Fields): Call[] {
  const listed = listAt(message, "tool_calls") ?? [];
  const parts = (listAt(message, "content") ?? []).filter((p) => textAt(p, "type") === "tool_use");
  const single = fieldsAt(message, "function_call");
  return [...listed, ...parts, ...(single === undefined ? [] : [single])]
    .map(callOf)
    .filter((c) => c !== undefined);
}

/**
 * Whether calls failed, where their answers say so. An id may occur again later in a conversation: an answer belongs to the last
 * message before it that calls by the id, there to the first such call without an answer.
 */
function failures(
  messages: readonly unknown[],
  calls: readonly (readonly Call[])[],
): ReadonlyMap<Call, boolean> {
  const open = new Map<string, Call[]>();
  const failed = new Map<Call, boolean>();
  const note = (answer: unknown, key: string): void => {
    const call = open.get(idAt(answer, key) ?? "")?.shift();
    const bad = booleanAt(answer, "is_error");
    if (call !== undefined && bad !== undefined) failed.set(call, bad);
  };
  for (const [i, message] of messages.entries()) {
    note(message, "tool_call_id");
    for (const part of listAt(message, "content") ?? []) note(part, "tool_use_id");
    const here = (calls[i] ?? []).filter(({ id }) => id !== undefined);
    for (const { id = "" } of here) open.set(id, []);
    for (const call of here) open.get(call.id ?? "")?.push(call);
  }
  return failed;
}

const speakerOf = (message: Fields): string =>
  roleOf(textAt(message, "role") ?? textAt(message, "type") ?? textAt(message, "from"));

/** A list of chat messages as turns. What is no message is left out. */
export function chatTurns(messages: readonly unknown[]): Turn[] {
  const called = messages.map((message) =>
    isFields(message) && speakerOf(message) === "assistant" ? callsOf(message) : [],
  );
  const failed = failures(messages, called);
  return messages.flatMap((message, i): Turn[] => {
    if (typeof message === "string") return [{ role: "user", text: message }];
    if (!isFields(message)) return [];
    const role = speakerOf(message);
    const reasoning = textAt(message, "reasoning_content") ?? textAt(message, "reasoning");
    const words = [
      ...(reasoning === undefined ? [] : [thought(reasoning)]),
      contentText(message["content"] ?? message["value"]),
    ];
    const text = words.filter(Boolean).join("\n\n");
    if (role !== "assistant") return [{ role, text }];
    const calls = (called[i] ?? []).map((call) => {
      const bad = failed.get(call);
      return bad === undefined ? call : { ...call, ok: !bad };
    });
    return assistantTurns(text, calls);
  });
}

const roles: Readonly<Record<string, string>> = {
  ai: "assistant",
  bot: "assistant",
  gpt: "assistant",
  model: "assistant",
  agent: "assistant",
  human: "user",
  developer: "system",
  function: "tool",
  ipython: "tool",
  environment: "tool",
};

/** The contract's name of a role. */
export function roleOf(role: string | undefined): string {
  const name = role?.toLowerCase() ?? "";
  return name === "" ? "user" : ((Object.hasOwn(roles, name) ? roles[name] : undefined) ?? name);
}
