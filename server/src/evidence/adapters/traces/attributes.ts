import type { Turn } from "../../../../../shared/model/rollout.ts";
import { at, countAt, fieldsAt, isFields, listAt, nameAt, textAt, type Fields } from "../parts/untrusted.ts";
import { parsedText, turnsIn } from "./messages.ts";
import type { Span } from "./spans.ts";

/**
 * Attributes whose names have dots, as objects and lists within each other: `llm.input_messages.0.message.role` is the role of
 * the first message. Attributes that are nested already stay so.
 */
function nested(attributes: Fields): Fields {
  const root: Record<string, unknown> = {};
  for (const [name, value] of Object.entries(attributes)) {
    const path = name.split(".");
    let holder = root;
    for (const key of path.slice(0, -1)) {
      const next = Object.hasOwn(holder, key) ? holder[key] : undefined;
      // A name that is a value already cannot hold others: the longer name stays whole beside it.
      if (next !== undefined && !isFields(next)) holder = {};
      else holder = isFields(next) ? next : set(holder, key, {});
    }
    const last = path.at(-1) ?? name;
    const inner = deep(value);
    const before = Object.hasOwn(holder, last) ? holder[last] : undefined;
    if (isFields(before) && isFields(inner)) Object.assign(before, inner);
    else if (before === undefined) set(holder, last, inner);
  }
  return fieldsAt(listed(root)) ?? {};
}

function set(holder: Record<string, unknown>, key: string, value: unknown): Record<string, unknown> {
  Object.defineProperty(holder, key, { value, enumerable: true, writable: true, configurable: true });
  return isFields(value) ? value : holder;
}

function deep(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(deep);
  return isFields(value) ? nested(value) : value;
}

/** Objects whose keys count from 0 are lists. */
function listed(value: unknown): unknown {
  if (!isFields(value)) return value;
  const keys = Object.keys(value);
  const inner = keys.map((key) => listed(value[key]));
  if (keys.length > 0 && keys.every((key) => /^\d+$/.test(key))) return inner;
  const made: Record<string, unknown> = {};
  for (const [i, key] of keys.entries()) set(made, key, inner[i]);
  return made;
}

/** An event of a span: in older conventions a message is one. */
export interface SpanEvent {
  readonly name: string;
  readonly attributes: Fields;
}

const operations = /^(?:chat|text_completion|generate_content|completion)$/;

/**
 * What the attributes of a span say in the conventions of OpenTelemetry (GenAI, old and new), OpenInference, OpenLLMetry and
 * the Vercel AI SDK, and in those of Google's ADK.
 */
export function attributeSpan(
  given: Fields,
  events: readonly SpanEvent[],
  name: string,
): Pick<Span, "tool" | "toolCall" | "model" | "tokens" | "finish" | "given" | "gave" | "input" | "output"> {
  const a = nested(given);
  const kind = (
    nameAt(a, "openinference", "span", "kind") ??
    nameAt(a, "traceloop", "span", "kind") ??
    ""
  ).toLowerCase();
  const operation = nameAt(a, "gen_ai", "operation", "name") ?? nameAt(a, "llm", "request", "type") ?? "";
  const input = at(a, "input", "value") ?? at(a, "traceloop", "entity", "input");
  const output = at(a, "output", "value") ?? at(a, "traceloop", "entity", "output");
  if (kind === "tool" || operation === "execute_tool" || nameAt(a, "ai", "toolCall", "name") !== undefined)
    return toolSpan(a, name, input, output);
  const isCall = kind === "llm" || operations.test(operation);
  const heard = turnsGiven(a, events);
  const said = turnsGiven(a, events, "gave");
  return {
    model:
      nameAt(a, "gen_ai", "response", "model") ??
      nameAt(a, "gen_ai", "request", "model") ??
      nameAt(a, "llm", "model_name") ??
      nameAt(a, "ai", "model", "id"),
    tokens: tokensIn(a),
    finish: finishIn(a),
    given: heard.length > 0 || !isCall ? heard : turnsIn(input, "user"),
    gave: said.length > 0 || !isCall ? said : turnsIn(output, "assistant"),
    input,
    output,
  };
}

function toolSpan(
  a: Fields,
  name: string,
  input: unknown,
  output: unknown,
): Pick<Span, "tool" | "toolCall" | "input" | "output"> {
  return {
    tool:
      nameAt(a, "gen_ai", "tool", "name") ??
      nameAt(a, "tool", "name") ??
      nameAt(a, "ai", "toolCall", "name") ??
      nameAt(a, "traceloop", "entity", "name") ??
      name,
    toolCall: nameAt(a, "gen_ai", "tool", "call", "id"),
    input: parsedText(
      at(a, "gen_ai", "tool", "call", "arguments") ??
        at(a, "gcp", "vertex", "agent", "tool_call_args") ??
        at(a, "ai", "toolCall", "args") ??
        at(a, "tool", "parameters") ??
        input,
    ),
    output:
      at(a, "gen_ai", "tool", "call", "result") ??
      at(a, "gcp", "vertex", "agent", "tool_response") ??
      at(a, "ai", "toolCall", "result") ??
      output,
  };
}

const tokensIn = (a: Fields): number | undefined =>
  [
    at(a, "gen_ai", "usage", "output_tokens"),
    at(a, "gen_ai", "usage", "completion_tokens"),
    at(a, "llm", "token_count", "completion"),
    at(a, "llm", "usage", "completion_tokens"),
  ]
    // A table writes whole numbers with a point where a row has none.
    .map((count) =>
      countAt(typeof count === "string" && /^\d+(?:\.0+)?$/.test(count) ? Number(count) : count),
    )
    .find((count) => count !== undefined);

const finishIn = (a: Fields): string | undefined => {
  const reasons = parsedText(at(a, "gen_ai", "response", "finish_reasons"));
  return (
    nameAt(reasons, 0) ??
    nameAt(reasons) ??
    nameAt(a, "llm", "finish_reason") ??
    nameAt(a, "ai", "response", "finishReason")
  );
};

/** The messages that a model call was given, or that it gave. */
function turnsGiven(a: Fields, events: readonly SpanEvent[], side: "given" | "gave" = "given"): Turn[] {
  const role = side === "given" ? "user" : "assistant";
  const places =
    side === "given"
      ? [
          at(a, "gen_ai", "input", "messages"),
          at(a, "llm", "input_messages"),
          at(a, "gen_ai", "prompt"),
          at(a, "gcp", "vertex", "agent", "llm_request"),
          at(a, "ai", "prompt", "messages"),
        ]
      : [
          at(a, "gen_ai", "output", "messages"),
          at(a, "llm", "output_messages"),
          at(a, "gen_ai", "completion"),
          at(a, "gcp", "vertex", "agent", "llm_response"),
          vercelAnswer(a),
        ];
  const found =
    places.map((place) => turnsIn(place, role)).find((turns) => turns.length > 0) ?? eventTurns(events, side);
  const system = side === "gave" ? "" : systemText(a);
  return system === "" || found.length === 0 || found.some((turn) => turn.role === "system")
    ? found
    : [{ role: "system", text: system }, ...found];
}

function vercelAnswer(a: Fields): unknown {
  const [text, calls] = [
    textAt(a, "ai", "response", "text"),
    parsedText(at(a, "ai", "response", "toolCalls")),
  ];
  if (text === undefined && listAt(calls) === undefined) return undefined;
  const parts: unknown[] = text === undefined || text === "" ? [] : [{ type: "text", text }];
  return [{ role: "assistant", content: [...parts, ...(listAt(calls) ?? [])] }];
}

function systemText(a: Fields): string {
  const request = parsedText(at(a, "gcp", "vertex", "agent", "llm_request"));
  const told =
    parsedText(at(a, "gen_ai", "system_instructions")) ?? at(request, "config", "system_instruction");
  if (typeof told === "string") return told;
  return Array.isArray(told)
    ? told.map((part) => textAt(part, "content") ?? textAt(part, "text") ?? "").join("\n")
    : "";
}

/** Messages as events of the span, by their names: `gen_ai.user.message`, `gen_ai.choice`. */
function eventTurns(events: readonly SpanEvent[], side: "given" | "gave"): Turn[] {
  const messages = events.flatMap(({ name, attributes }): readonly unknown[] => {
    const whole = parsedText(attributes["gen_ai.prompt"] ?? attributes["gen_ai.completion"]);
    if (/^gen_ai\.content\.(?:prompt|completion)$/.test(name))
      return name.endsWith("prompt") === (side === "given") ? (listAt(whole) ?? [whole]) : [];
    const [, who] = /^gen_ai\.(system|user|assistant|tool)\.message$/.exec(name) ?? [];
    if (who !== undefined) return side === "given" ? [{ role: who, ...readable(attributes) }] : [];
    if (name !== "gen_ai.choice" || side === "given") return [];
    const choice = readable(attributes);
    return [{ role: "assistant", ...(fieldsAt(choice, "message") ?? choice) }];
  });
  return turnsIn(messages, side === "given" ? "user" : "assistant");
}

const readable = (attributes: Fields): Fields =>
  Object.fromEntries(Object.entries(attributes).map(([key, value]) => [key, parsedText(value)]));

/** Milliseconds of nanoseconds since 1970 at a key, as a text or a number; 0 stands for a time that is not known. */
export function nanosAt(value: unknown, key: string): number | undefined {
  const found = at(value, key);
  const nanos = typeof found === "string" && /^\d+$/.test(found) ? Number(found) : found;
  const lastOfYear3000 = 32_503_680_000e9;
  return typeof nanos === "number" && nanos > 0 && nanos < lastOfYear3000 ? nanos / 1e6 : undefined;
}
