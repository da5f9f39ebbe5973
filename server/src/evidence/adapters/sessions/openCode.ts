import type { Turn } from "../../../../../shared/model/rollout.ts";
import { argumentsOf, assistantTurns, thought, type Call } from "../chat/chat.ts";
import { noVerdict, type RolloutDraft } from "../parts/adapter.ts";
import { extraOf } from "../parts/clip.ts";
import { isoOf } from "../parts/times.ts";
import {
  countAt,
  fieldsAt,
  isFields,
  listAt,
  nameAt,
  numberAt,
  textAt,
  type Fields,
} from "../parts/untrusted.ts";
import { sessionAdapter } from "./sessionFile.ts";

/** Sessions that `opencode export` prints: the session, and each message with its parts. */
export const openCode = sessionAdapter({
  name: "opencode",
  title: "opencode session",
  note: { writer: "opencode: `opencode export <session>`", files: "`*.json`" },
  source: "opencode packages/opencode/src/cli/cmd/export.ts; session/message-v2.ts",
  isSession: (document) => {
    const messages = listAt(document, "messages") ?? [];
    return (
      nameAt(document, "info", "id") !== undefined &&
      messages.length > 0 &&
      messages.every(
        (one) => nameAt(one, "info", "sessionID") !== undefined && listAt(one, "parts") !== undefined,
      )
    );
  },
  runAbove: () => 0,
  draftOf,
  absent: { harness: "its version is in extra; the commit is not in the session" },
  inferred: {
    tokens: "output and reasoning tokens of all messages",
    stop_reason: "of the last answer: its error, or why the model ended",
    started_at: "when the session was created",
    duration_ms: "from the first message to the end of the last",
    "turns.ok": "the state of the call: completed or error",
    "turns.ms": "from the start of a call to its end",
  },
});

function draftOf(document: unknown): RolloutDraft {
  const info = fieldsAt(document, "info");
  const messages = (listAt(document, "messages") ?? []).filter(isFields);
  const answers = messages.flatMap((one) => {
    const of = fieldsAt(one, "info");
    return of?.["role"] === "assistant" ? [of] : [];
  });
  const counts = answers.flatMap((one) => tokensOf(one) ?? []);
  const request = messages.find((one) => nameAt(one, "info", "role") === "user");
  const last = answers.at(-1);
  const [start, end] = [
    numberAt(messages[0], "info", "time", "created"),
    numberAt(messages.at(-1), "info", "time", "completed") ??
      numberAt(messages.at(-1), "info", "time", "created"),
  ];
  const began = numberAt(info, "time", "created") ?? start;
  return {
    type: "rollout",
    id: nameAt(info, "id") ?? null,
    ...(request === undefined ? {} : { prompt: textOf(request) }),
    verdict: noVerdict("a session is not evaluated"),
    turns: messages.flatMap(turnsOf),
    stop_reason: nameAt(last, "error", "name") ?? nameAt(last, "finish") ?? null,
    tokens: counts.length === 0 ? null : counts.reduce((sum, n) => sum + n, 0),
    policy: nameAt(last, "modelID") ?? null,
    started_at: isoOf(began === undefined ? undefined : began / 1000),
    duration_ms: start === undefined || end === undefined || end < start ? null : end - start,
    extra: extraOf({
      version: nameAt(info, "version"),
      provider: nameAt(last, "providerID"),
      title: textAt(info, "title"),
    }),
  };
}

function tokensOf(info: Fields): number | undefined {
  const output = countAt(info, "tokens", "output");
  return output === undefined ? undefined : output + (countAt(info, "tokens", "reasoning") ?? 0);
}

const partsOf = (message: Fields): Fields[] => (listAt(message, "parts") ?? []).filter(isFields);

/** The words of a message with what the model thought; files, patches and marks of steps are no words. */
const textOf = (message: Fields): string =>
  partsOf(message)
    .flatMap((part) => {
      const text = textAt(part, "text") ?? "";
      return part["type"] === "text" ? [text] : part["type"] === "reasoning" ? [thought(text)] : [];
    })
    .filter(Boolean)
    .join("\n\n");

function turnsOf(message: Fields): Turn[] {
  const text = textOf(message);
  if (nameAt(message, "info", "role") === "user") return [{ role: "user", text }];
  const calls = partsOf(message).filter(({ type }) => type === "tool");
  if (text === "" && calls.length === 0) return [];
  const tokens = tokensOf(fieldsAt(message, "info") ?? {});
  const [first, ...rest] = assistantTurns(text, calls.map(callOf));
  return [
    ...(first === undefined ? [] : [{ ...first, ...(tokens === undefined ? {} : { tokens }) }]),
    ...rest,
    ...calls.flatMap(answerOf),
  ];
}

function callOf(part: Fields): Call {
  const status = nameAt(part, "state", "status");
  const args = argumentsOf(fieldsAt(part, "state", "input"));
  return {
    tool: nameAt(part, "tool") ?? "unknown",
    ...(args === undefined ? {} : { args }),
    ok: status === "completed" ? true : status === "error" ? false : undefined,
  };
}

/** A call that was cut short has no answer. */
function answerOf(part: Fields): Turn[] {
  const text = textAt(part, "state", "output") ?? textAt(part, "state", "error");
  if (text === undefined) return [];
  const [start, end] = [numberAt(part, "state", "time", "start"), numberAt(part, "state", "time", "end")];
  const isTimed = start !== undefined && end !== undefined && end >= start;
  return [{ role: "tool", text, ...(isTimed ? { ms: end - start } : {}) }];
}
