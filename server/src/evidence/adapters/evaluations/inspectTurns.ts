import type { Turn } from "../../../../../shared/model/rollout.ts";
import { Refusal } from "../parts/adapter.ts";
import { assistantTurns, callOf, contentText, roleOf, thought, type Call } from "../chat/chat.ts";
import type { Generation, ModelCalls } from "./inspectModels.ts";
import { at, fieldsAt, idAt, isFields, listAt, nameAt, textAt, type Fields } from "../parts/untrusted.ts";

/** Characters of all attachments that one sample may unfold to: a few bytes can name a long text many times. */
const maxUnfoldedChars = 64 * 1024 * 1024;

/** The conversation of a sample, attachments put in their places. @throws Refusal */
export function inspectTurns(sample: Fields, attachments: Fields, calls: ModelCalls): Turn[] {
  const unfold = unfolder(attachments);
  const messages = conversationOf(sample).flatMap((message) => splitServerCalls(message));
  const answers = answersOf(messages);
  const generations = generationsOf(messages, calls);
  return messages.flatMap((message): Turn[] => {
    const role = roleOf(textAt(message, "role"));
    const text = contentOf(message, unfold);
    if (role === "tool") return [toolTurn(message, text, unfold, calls)];
    if (role !== "assistant") return [{ role, text }];
    const turns = assistantTurns(text, callsOf(message, answers, unfold));
    const generation = generations.get(message);
    const [first, ...rest] = turns;
    return first === undefined || generation === undefined
      ? turns
      : [{ ...first, ...costOf(generation) }, ...rest];
  });
}

/** A sample that failed early has only its input. */
function conversationOf(sample: Fields): Fields[] {
  const messages = listAt(sample, "messages") ?? [];
  if (messages.length > 0) return messages.filter(isFields);
  const input = sample["input"];
  if (typeof input === "string") return [{ role: "user", content: input }];
  return Array.isArray(input) ? input.filter(isFields) : [];
}

type Unfold = (text: string) => string;

function unfolder(attachments: Fields): Unfold {
  let unfolded = 0;
  return (text) => {
    // Logs of 2024 write tc:// for the same.
    const name = /^(?:attachment|tc):\/\/(.*)$/s.exec(text)?.[1];
    const found = name === undefined ? undefined : textAt(attachments, name);
    if (found === undefined) return text;
    unfolded += found.length;
    if (unfolded > maxUnfoldedChars)
      throw new Refusal("the attachments of the sample unfold to more than 64 MiB");
    return found;
  };
}

function contentOf(message: Fields, unfold: Unfold): string {
  const content = message["content"];
  if (typeof content === "string") {
    const reasoning = nameAt(message, "reasoning");
    return [reasoning === undefined ? "" : thought(unfold(reasoning)), unfold(content)]
      .filter(Boolean)
      .join("\n\n");
  }
  return Array.isArray(content) ? contentText(content.map((part) => partOf(part, unfold))) : "";
}

function partOf(part: unknown, unfold: Unfold): unknown {
  if (typeof part === "string") return unfold(part);
  const type = textAt(part, "type");
  if (type === "text") return { type, text: unfold(textAt(part, "text") ?? "") };
  if (type !== "reasoning") return { type: type ?? "unknown" };
  // Withheld reasoning is a cipher; its summary is what can be read.
  const [reasoning, summary] = [textAt(part, "reasoning") ?? "", textAt(part, "summary") ?? ""];
  return { type, reasoning: unfold(at(part, "redacted") === true || reasoning === "" ? summary : reasoning) };
}

function callsOf(message: Fields, answers: ReadonlyMap<string, boolean>, unfold: Unfold): Call[] {
  return (listAt(message, "tool_calls") ?? []).flatMap((value) => {
    const call = callOf(value);
    if (call === undefined) return [];
    const ok = nameAt(value, "parse_error") === undefined ? answers.get(call.id ?? "") : false;
    const args = call.args === undefined ? undefined : unfoldedArgs(call.args, unfold);
    return [{ tool: call.tool, id: call.id, ok, ...(args === undefined ? {} : { args }) }];
  });
}

const unfoldedArgs = (args: Fields, unfold: Unfold): Fields =>
  Object.fromEntries(Object.entries(args).map(([k, v]) => [k, typeof v === "string" ? unfold(v) : v]));

/** Whether calls succeeded, by their ids: the answer of one that failed has an error. */
function answersOf(messages: readonly Fields[]): ReadonlyMap<string, boolean> {
  const answers = new Map<string, boolean>();
  for (const message of messages) {
    const id = idAt(message, "tool_call_id");
    if (roleOf(textAt(message, "role")) === "tool" && id !== undefined)
      answers.set(
        id,
        fieldsAt(message, "error") === undefined && nameAt(message, "tool_error") === undefined,
      );
  }
  return answers;
}

function toolTurn(message: Fields, text: string, unfold: Unfold, { toolMs }: ModelCalls): Turn {
  const said = nameAt(message, "error", "message") ?? nameAt(message, "tool_error");
  const error = said === undefined ? undefined : unfold(said);
  const ms = toolMs.get(idAt(message, "tool_call_id") ?? "");
  return {
    role: "tool",
    text: error === undefined || text.includes(error) ? text : [text, error].filter(Boolean).join("\n"),
    ...(ms === undefined ? {} : { ms }),
  };
}

const costOf = ({ tokens, ms }: Generation): Partial<Turn> => ({
  ...(tokens === undefined ? {} : { tokens }),
  ...(ms === undefined ? {} : { ms }),
});

/** Which call of the model wrote which message: by id, and by order in logs without ids when the numbers fit. */
function generationsOf(
  messages: readonly Fields[],
  { generations }: ModelCalls,
): ReadonlyMap<Fields, Generation> {
  const found = new Map<Fields, Generation>();
  const byId = new Map(generations.map((generation) => [generation.message, generation]));
  const written = messages.filter(
    (m) => textAt(m, "role") === "assistant" && textAt(m, "source") !== "input",
  );
  for (const [i, message] of written.entries()) {
    const id = idAt(message, "id");
    const inOrder = written.length === generations.length ? generations[i] : undefined;
    const generation = id === undefined ? inOrder : byId.get(id);
    if (generation !== undefined) found.set(message, generation);
  }
  return found;
}

/** Calls that the model's provider ran itself stand in the content, with their results: they become calls and answers. */
function splitServerCalls(message: Fields): Fields[] {
  const parts = listAt(message, "content");
  if (textAt(message, "role") !== "assistant" || parts === undefined) return [message];
  const used = parts.filter((part) => textAt(part, "type") === "tool_use");
  if (used.length === 0) return [message];
  const calls = used.map((part) => ({
    id: at(part, "id"),
    function: at(part, "name"),
    arguments: at(part, "arguments"),
  }));
  const answers = used.map((part): Fields => {
    const error = nameAt(part, "error");
    return {
      role: "tool",
      tool_call_id: at(part, "id"),
      content: textAt(part, "result") ?? "",
      ...(error === undefined ? {} : { error: { message: error } }),
    };
  });
  return [
    {
      ...message,
      content: parts.filter((part) => textAt(part, "type") !== "tool_use"),
      tool_calls: [...calls, ...(listAt(message, "tool_calls") ?? [])],
    },
    ...answers,
  ];
}
