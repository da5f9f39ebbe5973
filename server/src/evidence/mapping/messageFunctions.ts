import type { Builtins } from "../../expression/builtins.ts";
import { tooLong } from "../../expression/frame.ts";
import { Failure, isList, isRecord, Optional, spokenKindOf, type Range } from "../../expression/values.ts";

type Record = Readonly<globalThis.Record<string, unknown>>;

const maxNesting = 8;
const field = (record: Record, name: string): unknown =>
  Object.hasOwn(record, name) ? record[name] : undefined;

/** Parts that hold no text of the conversation: what they are is said, not what they hold. */
const silent = new Set(["tool_use", "tool_call", "server_tool_use", "redacted_thinking"]);

/** The text of one content part in the forms of OpenAI and Anthropic. */
function partText(part: unknown, at: Range, depth: number): string | Failure {
  if (typeof part === "string") return part;
  if (part === null) return "";
  if (!isRecord(part)) return new Failure(at, `A part of the content is ${spokenKindOf(part)}, not a text.`);
  const type = field(part, "type");
  if (typeof type === "string" && silent.has(type)) return "";
  for (const name of ["text", "thinking", "reasoning", "refusal"]) {
    const text = field(part, name);
    if (typeof text === "string") return text;
  }
  const content = field(part, "content");
  if (content !== undefined) return contentText(content, at, depth + 1);
  return typeof type === "string" ? `[${type}]` : new Failure(at, "A part of the content has no text.");
}

/** A message's content as one text: a text itself, a list of parts, or null for none. */
function contentText(content: unknown, at: Range, depth = 0): string | Failure {
  if (depth > maxNesting) return new Failure(at, "The content is nested too deeply.");
  if (typeof content === "string") return content;
  if (content === null) return "";
  if (content instanceof Optional) return content.present ? contentText(content.value, at, depth + 1) : "";
  if (isRecord(content)) return partText(content, at, depth);
  if (!isList(content))
    return new Failure(at, `text needs a text or a list of content parts, not ${spokenKindOf(content)}.`);
  const texts: string[] = [];
  let length = 0;
  for (const part of content) {
    const text = partText(part, at, depth);
    if (text instanceof Failure) return text;
    if (text !== "") texts.push(text);
    length += text.length + 1;
  }
  return tooLong(length, at) ?? texts.join("\n");
}

export interface ToolCall {
  readonly name: string;
  readonly args: Record | null;
}

/** Arguments come as a map, or as JSON in a text; a text that is no JSON map is kept under `text`. */
function argumentsOf(value: unknown): Record | null {
  if (isRecord(value)) return value;
  if (typeof value !== "string" || value === "") return null;
  try {
    const parsed: unknown = JSON.parse(value);
    return isRecord(parsed) ? parsed : { text: value };
  } catch {
    return { text: value };
  }
}

function firstOf(record: Record, names: readonly string[]): unknown {
  for (const name of names) {
    const value = field(record, name);
    if (value !== undefined && value !== null) return value;
  }
  return undefined;
}

/** One call as OpenAI, Anthropic, LangChain and verifiers write it; undefined when it names no tool. */
function callOf(value: unknown): ToolCall | undefined {
  if (typeof value === "string") {
    const parsed = argumentsOf(value);
    return parsed === null || !("name" in parsed || "function" in parsed) ? undefined : callOf(parsed);
  }
  if (!isRecord(value)) return undefined;
  const inner = field(value, "function");
  const call = isRecord(inner) ? inner : value;
  const name = firstOf(call, ["name", "function_name", "tool_name"]);
  if (typeof name !== "string" || name === "") return undefined;
  return { name, args: argumentsOf(firstOf(call, ["arguments", "args", "input", "parameters"])) };
}

/** The tool calls of a message, in order; empty when it makes none. */
function toolCallsOf(message: unknown, at: Range): readonly ToolCall[] | Failure {
  if (!isRecord(message))
    return new Failure(at, `toolCalls needs a message as a map, not ${spokenKindOf(message)}.`);
  const listed = field(message, "tool_calls");
  const content = field(message, "content");
  const single = field(message, "function_call");
  const found =
    isList(listed) && listed.length > 0
      ? listed
      : isRecord(single)
        ? [single]
        : isList(content)
          ? content.filter((part) => isRecord(part) && field(part, "type") === "tool_use")
          : [];
  const calls: ToolCall[] = [];
  for (const one of found) {
    const call = callOf(one);
    if (call === undefined) return new Failure(at, "A tool call of the message names no tool.");
    calls.push(call);
  }
  return calls;
}

/** Functions that mapping files have besides those of CEL. */
export const messageFunctions: Builtins = {
  text: { arity: [1, 1], gives: "string", run: ([content], at) => contentText(content, at) },
  toolCalls: { arity: [1, 1], gives: "list", run: ([message], at) => toolCallsOf(message, at) },
  parseJson: {
    arity: [1, 1],
    run: ([text], at) => {
      if (typeof text !== "string")
        return new Failure(at, `parseJson needs a string, not ${spokenKindOf(text)}.`);
      try {
        return JSON.parse(text) as unknown;
      } catch {
        return new Failure(at, "The text is not JSON.");
      }
    },
  },
};
