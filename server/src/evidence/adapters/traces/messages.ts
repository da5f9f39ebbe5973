import type { Turn } from "../../../../../shared/model/rollout.ts";
import { chatTurns, contentText } from "../chat/chat.ts";
import { responseTurns } from "../chat/responses.ts";
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

/** A text that holds JSON as its value; anything else as it is. */
export function parsedText(value: unknown): unknown {
  if (typeof value !== "string" || !/^\s*[[{"]/.test(value)) return value;
  try {
    return JSON.parse(value);
  } catch {
    return value;
  }
}

/** What a tool answered or a function was given, as text. */
export function plainText(value: unknown): string {
  const parsed = parsedText(value);
  if (typeof parsed === "string") return parsed;
  if (parsed === null || parsed === undefined) return "";
  if (Array.isArray(parsed) && parsed.every((part) => nameAt(part, "type") !== undefined))
    return contentText(parsed);
  if (isFields(parsed)) {
    const inner = parsed["content"] ?? (Object.keys(parsed).length === 1 ? parsed["output"] : undefined);
    if (typeof inner === "string" || Array.isArray(inner)) return plainText(inner);
  }
  return typeof value === "string" ? value : JSON.stringify(parsed);
}

/**
 * The messages in what a call of a model was given or gave, in any of the usual notations: messages of OpenAI, Anthropic,
 * Gemini, LangChain, OpenInference and OpenTelemetry, items of the Responses API, choices, or a bare text of `role`.
 */
export function turnsIn(value: unknown, role: "user" | "assistant"): Turn[] {
  const parsed = parsedText(value);
  if (typeof parsed === "string") return parsed.trim() === "" ? [] : [{ role, text: parsed }];
  if (Array.isArray(parsed)) return listTurns(parsed, role);
  if (!isFields(parsed)) return [];
  const list = ["messages", "input", "contents", "output", "choices", "candidates", "args"]
    .map((key) => parsedText(parsed[key]))
    .find((found) => Array.isArray(found));
  const system =
    textAt(parsed, "system") ?? textAt(parsed, "instructions") ?? textAt(parsed, "system_instruction");
  const before: Turn[] =
    system === undefined || role === "assistant" ? [] : [{ role: "system", text: system }];
  if (Array.isArray(list)) return withSystem(before, listTurns(list, role));
  const generation = at(parsed, "generations", 0, 0) ?? at(parsed, "generations", 0);
  if (isFields(generation)) return turnsIn(generation["message"] ?? generation["text"], role);
  if (isMessage(parsed)) return listTurns([parsed], role);
  const text = ["prompt", "input", "contents", "question", "query", "output", "answer", "text"]
    .map((key) => parsed[key])
    .find((found) => typeof found === "string");
  if (typeof text === "string") return withSystem(before, [{ role, text }]);
  return Object.keys(parsed).length === 0 ? [] : [{ role, text: JSON.stringify(parsed) }];
}

const withSystem = (before: readonly Turn[], turns: readonly Turn[]): Turn[] =>
  turns.some((turn) => turn.role === "system") ? [...turns] : [...before, ...turns];

const isMessage = (value: Fields): boolean =>
  ["role", "message", "kwargs", "tool_calls", "parts"].some((key) => key in value) ||
  (nameAt(value, "type") !== undefined && "content" in value) ||
  listAt(value, "content") !== undefined ||
  fieldsAt(value, "content") !== undefined;

/** Items of the Responses API are told by their types; a message among them says nothing. */
const isItem = (value: unknown): boolean =>
  /^(?:function_call|reasoning|.*_call|.*_call_output)$/.test(nameAt(value, "type") ?? "") &&
  !("tool_calls" in Object(value)) &&
  !("role" in Object(value));

function listTurns(list: readonly unknown[], role: "user" | "assistant"): Turn[] {
  // LangChain lists the messages of a batch of one.
  if (list.length === 1 && Array.isArray(list[0])) return listTurns(list[0], role);
  if (list.some(isItem)) return responseTurns(list);
  const calls = list.filter((one) => nameAt(one, "toolName") !== undefined);
  if (list.length > 0 && calls.length === list.length)
    return chatTurns([plain({ role, content: calls })].flat());
  return chatTurns(
    list.flatMap((message) =>
      isFields(message)
        ? plain(message, role)
        : typeof message === "string"
          ? [{ role, content: message }]
          : [],
    ),
  );
}

/** A message without the wrapping that some libraries give it, with its role and its parts. */
function unwrapped(message: Fields): Fields {
  const inner = fieldsAt(message, "message") ?? fieldsAt(message, "data") ?? fieldsAt(message, "kwargs");
  if (inner === undefined) {
    const content = fieldsAt(message, "content");
    return listAt(content, "parts") === undefined ? message : { ...message, ...content };
  }
  const className = nameAt(listAt(message, "id")?.at(-1)) ?? "";
  const named = /^(AI|Human|System|Tool|Function)Message/.exec(className)?.[1]?.toLowerCase();
  // Where the class is named, the type of the wrapping says only how it was written.
  const outer = Array.isArray(message["id"])
    ? undefined
    : (nameAt(message, "type") ?? nameAt(message, "role"));
  const role =
    nameAt(inner, "role") ?? named ?? nameAt(inner, "type") ?? (outer === "constructor" ? undefined : outer);
  return { ...inner, ...(role === undefined ? {} : { role }) };
}

interface Parts {
  readonly words: unknown[];
  readonly calls: object[];
  readonly answers: object[];
}

/** The message as chat messages of one notation: answers of tools are messages of their own. */
function plain(given: Fields, otherwise = "user"): object[] {
  const message = unwrapped(given);
  const listed = partsIn(message);
  const parts: Parts = { words: [], calls: [], answers: [] };
  for (const part of listed ?? []) sort(part, parts);
  const said = roleIn(message) ?? otherwise;
  // Some write the calls of the policy as a message of the tool.
  const role = said === "tool" && parts.calls.length > 0 ? "assistant" : said;
  if (role !== "tool" && role !== "function") return spoken(message, role, parts, listed !== undefined);
  if (listed !== undefined && listed.length > 0 && listed.every(isFunction)) return [];
  return parts.answers.length > 0 ? parts.answers : [answerOf(message, listed && parts.words)];
}

/** The parts of a message. A text that happens to be JSON is a text, unless it lists parts. */
function partsIn(message: Fields): readonly unknown[] | undefined {
  const content = parsedText(message["parts"] ?? message["contents"] ?? message["content"]);
  if (isFunction(content)) return [content];
  const listed = listAt(content);
  return listed?.every((part) => typeof part === "string" || isPart(part)) === true ? listed : undefined;
}

const isPart = (value: unknown): boolean =>
  isFields(value) &&
  ["type", "text", "function_call", "function_response", "toolName", "message_content", "inline_data"].some(
    (key) => key in value,
  );

/** What somebody said, behind the answers of tools that stand in the same message. */
function spoken(message: Fields, role: string, parts: Parts, isListed: boolean): object[] {
  const called = listAt(message, "tool_calls") ?? listAt(message, "additional_kwargs", "tool_calls") ?? [];
  const calls = [...called.map(callIn), ...parts.calls];
  if (parts.answers.length > 0 && parts.words.length === 0 && calls.length === 0) return parts.answers;
  return [
    ...parts.answers,
    {
      role,
      content: isListed ? parts.words : (message["content"] ?? message["text"]),
      tool_calls: calls,
      reasoning_content: message["reasoning_content"],
      function_call: message["function_call"],
    },
  ];
}

const answerOf = (message: Fields, words: readonly unknown[] | undefined): object => ({
  role: "tool",
  content: words ?? plainText(message["content"]),
  tool_call_id: idAt(message, "tool_call_id") ?? idAt(message, "id"),
  is_error: message["is_error"] ?? (message["status"] === "error" ? true : undefined),
});

/** A function, called or described, in the notation of OpenAI. */
const isFunction = (value: unknown): boolean =>
  nameAt(value, "type") === "function" && fieldsAt(value, "function") !== undefined;

const roles =
  /^(?:system|developer|user|human|humanmessage|assistant|ai|aimessage|model|bot|agent|tool|function)$/;

function roleIn(message: Fields): string | undefined {
  const type = nameAt(message, "type");
  const role = (nameAt(message, "role") ?? (type === "message" ? undefined : type))?.toLowerCase();
  // LangChain's callbacks name the tool where its role belongs.
  const named = role !== undefined && !roles.test(role);
  return named && ("tool_call_id" in message || "additional_kwargs" in message) ? "tool" : role;
}

const callIn = (call: unknown): unknown => fieldsAt(call, "tool_call") ?? call;

function sort(part: unknown, into: Parts): void {
  if (!isFields(part)) {
    into.words.push(part);
    return;
  }
  const type = (nameAt(part, "type") ?? "").replaceAll("-", "_");
  const content = fieldsAt(part, "message_content");
  if (content !== undefined) sort(content, into);
  else if (isFunction(part)) {
    // A function that is only described is an offer, which nobody said.
    if ("arguments" in (fieldsAt(part, "function") ?? {}))
      into.calls.push({ ...fieldsAt(part, "function"), id: part["id"] });
  } else if (isAnswer(part, type)) into.answers.push(answerPart(fieldsAt(part, "function_response") ?? part));
  else if (isCall(part, type)) into.calls.push(callPart(fieldsAt(part, "function_call") ?? part));
  else if (type === "reasoning" || type === "thinking")
    into.words.push({
      thinking: textAt(part, "thinking") ?? textAt(part, "text") ?? textAt(part, "content") ?? "",
    });
  else into.words.push(part);
}

const isAnswer = (part: Fields, type: string): boolean =>
  /^(?:tool_result|tool_call_response|toolResult)$/.test(type) ||
  fieldsAt(part, "function_response") !== undefined;

const isCall = (part: Fields, type: string): boolean =>
  /^(?:tool_use|tool_call|toolCall)$/.test(type) ||
  fieldsAt(part, "function_call") !== undefined ||
  nameAt(part, "toolName") !== undefined;

const callPart = (call: Fields): object => ({
  id: idAt(call, "id") ?? idAt(call, "toolCallId") ?? idAt(call, "call_id"),
  name: nameAt(call, "name") ?? nameAt(call, "toolName"),
  arguments: call["arguments"] ?? call["input"] ?? call["args"],
});

function answerPart(answer: Fields): object {
  const output = at(answer, "output", "value") ?? answer["output"];
  return {
    role: "tool",
    content: plainText(answer["content"] ?? answer["response"] ?? answer["result"] ?? output),
    tool_call_id: idAt(answer, "tool_use_id") ?? idAt(answer, "toolCallId") ?? idAt(answer, "id"),
    is_error: booleanAt(answer, "is_error"),
  };
}
