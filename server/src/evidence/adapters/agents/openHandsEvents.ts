import type { Turn } from "../../../../../shared/model/rollout.ts";
import { argumentsOf, assistantTurns, contentText, roleOf, thought } from "../chat/chat.ts";
import { millisBetween } from "../parts/times.ts";
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
  without,
  type Fields,
} from "../parts/untrusted.ts";

/**
 * The events of a history of any generation in one list: events as they are, and pairs of an action and what was
 * observed. That nothing was observed is no event.
 */
export function eventsOf(history: readonly unknown[]): Fields[] {
  return history
    .flatMap((entry): readonly unknown[] => (Array.isArray(entry) ? entry : [entry]))
    .filter(isFields)
    .filter((event) => textAt(event, "observation") !== "null");
}

/** The turns of the events of OpenHands V0 and of its SDK V1, which name their kind. */
export function openHandsTurns(events: readonly Fields[], latencies: ReadonlyMap<string, number>): Turn[] {
  const told = new Told(latencies);
  for (const event of events) told.add(event);
  return told.turns;
}

/** What waits for its answer: the place of the call's turn, and when it was made. */
interface Waiting {
  readonly place: number;
  readonly time: string | undefined;
}

class Told {
  readonly turns: Turn[] = [];
  readonly #latencies: ReadonlyMap<string, number>;
  readonly #waiting = new Map<string, Waiting>();
  readonly #counted = new Set<string>();
  #last: Waiting | undefined;

  constructor(latencies: ReadonlyMap<string, number>) {
    this.#latencies = latencies;
  }

  add(event: Fields): void {
    if (textAt(event, "kind") !== undefined) this.#addSdk(event);
    else if (textAt(event, "action") !== undefined) this.#addAction(event, textAt(event, "action") ?? "");
    else if (textAt(event, "observation") !== undefined) this.#addObservation(event);
  }

  #addAction(event: Fields, action: string): void {
    // Before events had arguments, their fields stood beside the name.
    const args = fieldsAt(event, "args") ?? without(event, "action", "id", "timestamp", "source", "message");
    const source =
      nameAt(event, "source") ?? (action === "message" && this.turns.length === 0 ? "user" : "agent");
    if (silent.has(action)) return;
    if (action === "system") this.turns.push({ role: "system", text: textAt(args, "content") ?? "" });
    else if (action === "message") {
      const text = textAt(args, "content") ?? textAt(event, "message") ?? "";
      if (source === "agent") this.#say(event, [{ role: "assistant", text }]);
      else this.turns.push({ role: roleOf(source), text });
    } else this.#say(event, actionTurns(event, action, args));
  }

  #addObservation(event: Fields): void {
    const kind = textAt(event, "observation") ?? "";
    if (kind === "agent_state_changed") return;
    const text = contentText(event["content"]) || (textAt(event, "message") ?? "");
    if (kind === "recall") {
      const context = contextOf(fieldsAt(event, "extras"));
      if (context !== "") this.turns.push({ role: "system", text: context });
      return;
    }
    const code = numberAt(event, "extras", "metadata", "exit_code") ?? numberAt(event, "exit_code");
    const ok =
      kind === "error"
        ? false
        : (booleanAt(event, "success") ?? (code === undefined ? undefined : code === 0));
    this.#answer(event, idAt(event, "cause"), text, ok);
  }

  #addSdk(event: Fields): void {
    switch (textAt(event, "kind") ?? "") {
      case "SystemPromptEvent": {
        const parts = [at(event, "system_prompt"), at(event, "dynamic_context")].map(contentText);
        this.turns.push({ role: "system", text: parts.filter(Boolean).join("\n\n") });
        break;
      }
      case "MessageEvent": {
        const message = fieldsAt(event, "llm_message");
        const role = roleOf(textAt(message, "role") ?? textAt(event, "source"));
        const parts = [at(message, "content"), at(event, "extended_content")].map(contentText);
        const text = [thought(textAt(message, "reasoning_content") ?? ""), ...parts]
          .filter(Boolean)
          .join("\n\n");
        if (role === "assistant") this.#say(event, [{ role, text }]);
        else this.turns.push({ role, text });
        break;
      }
      case "ActionEvent":
        this.#say(event, sdkActionTurns(event));
        break;
      case "ObservationEvent": {
        const failed = booleanAt(event, "observation", "is_error");
        const text = contentText(at(event, "observation", "content") ?? at(event, "observation", "output"));
        const more = contentText(event["extended_content"]);
        const ok = failed === undefined ? undefined : !failed;
        this.#answer(event, idAt(event, "action_id"), [text, more].filter(Boolean).join("\n\n"), ok);
        break;
      }
      case "AgentErrorEvent":
        this.#answer(event, idAt(event, "tool_call_id"), textAt(event, "error") ?? "", false);
        break;
      case "UserRejectObservation":
        this.#answer(
          event,
          idAt(event, "action_id"),
          `Action rejected: ${textAt(event, "rejection_reason") ?? ""}`,
          false,
        );
        break;
      case "Condensation":
      case "CondensationSummaryEvent": {
        const summary = textAt(event, "summary");
        if (summary !== undefined) this.turns.push({ role: "system", text: `[condensed] ${summary}` });
        break;
      }
      default:
      // State updates, pauses and logs are not part of the conversation.
    }
  }

  /** Adds what the agent said, with the tokens and the time of the response that it came from. */
  #say(event: Fields, turns: readonly Turn[]): void {
    const [first, ...rest] = turns;
    if (first === undefined) return;
    const response =
      nameAt(event, "tool_call_metadata", "model_response", "id") ?? nameAt(event, "llm_response_id");
    const isNew = response !== undefined && !this.#counted.has(response);
    if (response !== undefined) this.#counted.add(response);
    const tokens = countAt(event, "tool_call_metadata", "model_response", "usage", "completion_tokens");
    const ms = response === undefined ? undefined : this.#latencies.get(response);
    const waiting = { place: this.turns.length, time: textAt(event, "timestamp") };
    this.turns.push(
      {
        ...first,
        ...(tokens === undefined ? {} : { tokens: isNew ? tokens : 0 }),
        ...(isNew && ms !== undefined ? { ms } : {}),
      },
      ...rest,
    );
    for (const key of [idAt(event, "id"), idAt(event, "tool_call_id")])
      if (key !== undefined) this.#waiting.set(key, waiting);
    this.#last = waiting;
  }

  #answer(event: Fields, cause: string | undefined, text: string, ok: boolean | undefined): void {
    const waiting = cause === undefined ? this.#last : this.#waiting.get(cause);
    const call = waiting === undefined ? undefined : this.turns[waiting.place];
    if (waiting !== undefined && call?.tool !== undefined && ok !== undefined)
      this.turns[waiting.place] = { ...call, ok };
    const ms = millisBetween(waiting?.time, textAt(event, "timestamp"));
    this.turns.push({ role: "tool", text, ...(ms === undefined ? {} : { ms }) });
  }
}

/** Actions of the program around the agent. */
const silent = new Set([
  "change_agent_state",
  "null",
  "recall",
  "condensation",
  "condensation_request",
  "pause",
  "resume",
]);

/** Arguments that say how an action is carried out, not what it does. */
const plumbing = [
  "thought",
  "blocking",
  "hidden",
  "is_static",
  "confirmation_state",
  "is_confirmed",
  "security_risk",
  "keep_prompt",
  "kernel_init_code",
  "impl_source",
  "cwd",
];

function actionTurns(event: Fields, action: string, args: Fields): Turn[] {
  const called = callIn(event);
  const text = textAt(args, "thought") ?? "";
  const own = Object.fromEntries(
    Object.entries(without(args, ...plumbing)).filter(([, value]) => value !== null && value !== undefined),
  );
  return assistantTurns(text, [{ tool: called?.tool ?? action, args: called?.args ?? own }]);
}

/** The call as the model wrote it, from the response that the event keeps. */
function callIn(
  event: Fields,
): { readonly tool: string; readonly args?: Readonly<Record<string, unknown>> } | undefined {
  const tool = nameAt(event, "tool_call_metadata", "function_name");
  if (tool === undefined) return undefined;
  const id = idAt(event, "tool_call_metadata", "tool_call_id");
  const calls =
    listAt(event, "tool_call_metadata", "model_response", "choices", 0, "message", "tool_calls") ?? [];
  const args = argumentsOf(
    at(
      calls.find((call) => idAt(call, "id") === id),
      "function",
      "arguments",
    ),
  );
  return { tool, ...(args === undefined ? {} : { args }) };
}

function sdkActionTurns(event: Fields): Turn[] {
  const reasoning = textAt(event, "reasoning_content") ?? "";
  const said = contentText(event["thought"]);
  // Some models repeat their reasoning in the text.
  const text = said.includes("<think>") ? said : [thought(reasoning), said].filter(Boolean).join("\n\n");
  const action = fieldsAt(event, "action");
  const args =
    argumentsOf(at(event, "tool_call", "arguments") ?? at(event, "tool_call", "function", "arguments")) ??
    (action === undefined ? undefined : without(action, "kind"));
  const tool = nameAt(event, "tool_name") ?? nameAt(action, "kind") ?? "unreadable";
  return assistantTurns(text, [{ tool, ...(args === undefined ? {} : { args }) }]);
}

/** What the recall of repository and microagent knowledge told the agent. */
function contextOf(extras: Fields | undefined): string {
  const texts = ["repo_instructions", "additional_agent_instructions"].map(
    (key) => textAt(extras, key) ?? "",
  );
  const knowledge = (listAt(extras, "microagent_knowledge") ?? []).map(
    (entry) => textAt(entry, "content") ?? "",
  );
  return [...texts, ...knowledge].filter((text) => text.trim() !== "").join("\n\n");
}
