import type { Turn } from "../../../../../shared/model/rollout.ts";
import { assistantTurns, contentText, thought } from "../chat/chat.ts";
import { noVerdict, type RolloutDraft } from "../parts/adapter.ts";
import { extraOf } from "../parts/clip.ts";
import { millisBetween, timeAt } from "../parts/times.ts";
import { countAt, fieldsAt, isFields, listAt, nameAt, textAt, type Fields } from "../parts/untrusted.ts";
import { plainText } from "../traces/messages.ts";
import { sessionAdapter } from "./sessionFile.ts";

/** Sessions that Gemini CLI records by itself. */
export const geminiCli = sessionAdapter({
  name: "gemini-cli",
  title: "Gemini CLI session",
  note: { writer: "Gemini CLI", files: "`chats/session-*.json`" },
  source: "gemini-cli packages/core/src/services/chatRecordingService.ts ConversationRecord",
  isSession: (document) =>
    nameAt(document, "sessionId") !== undefined &&
    nameAt(document, "projectHash") !== undefined &&
    listAt(document, "messages") !== undefined,
  // Sessions lie in `<project>/chats`.
  runAbove: ({ folders }) => (folders[0] === "chats" ? 1 : 0),
  draftOf,
  absent: { harness: "not in the session", stop_reason: "not in the session" },
  inferred: {
    tokens: "output tokens of all messages, thoughts among them",
    started_at: "startTime of the session",
    duration_ms: "from the start to the last message",
    "turns.ok": "the status of the call: success or error",
  },
});

function draftOf(document: unknown): RolloutDraft {
  const messages = (listAt(document, "messages") ?? []).filter(isFields);
  const said = messages.filter(({ type }) => type === "gemini");
  const counts = said.flatMap((message) => tokensOf(message) ?? []);
  const times = messages.flatMap((message) => timeAt(message, "timestamp") ?? []);
  const start = timeAt(document, "startTime") ?? times[0];
  const request = messages.find(({ type }) => type === "user");
  return {
    type: "rollout",
    id: nameAt(document, "sessionId") ?? null,
    ...(request === undefined ? {} : { prompt: contentText(request["content"]) }),
    verdict: noVerdict("a session is not evaluated"),
    turns: messages.flatMap(turnsOf),
    tokens: counts.length === 0 ? null : counts.reduce((sum, n) => sum + n, 0),
    policy: nameAt(said.at(-1), "model") ?? null,
    started_at: start ?? null,
    duration_ms: millisBetween(start, times.at(-1)) ?? null,
    extra: extraOf({ project: nameAt(document, "projectHash"), summary: textAt(document, "summary") }),
  };
}

function tokensOf(message: Fields): number | undefined {
  const output = countAt(message, "tokens", "output");
  return output === undefined ? undefined : output + (countAt(message, "tokens", "thoughts") ?? 0);
}

/** What the program itself says (`info`, `warning`, `error`) is for the person and no part of the conversation. */
function turnsOf(message: Fields): Turn[] {
  if (message["type"] === "user") return [{ role: "user", text: contentText(message["content"]) }];
  if (message["type"] !== "gemini") return [];
  const calls = (listAt(message, "toolCalls") ?? []).filter(isFields);
  const text = [...thoughtsOf(message), contentText(message["content"])].filter(Boolean).join("\n\n");
  const tokens = tokensOf(message);
  const [first, ...rest] = assistantTurns(
    text,
    calls.map((call) => {
      const args = fieldsAt(call, "args");
      const status = nameAt(call, "status");
      const ok = status === "success" ? true : status === "error" ? false : undefined;
      return { tool: nameAt(call, "name") ?? "unknown", ...(args === undefined ? {} : { args }), ok };
    }),
  );
  return [
    ...(first === undefined ? [] : [{ ...first, ...(tokens === undefined ? {} : { tokens }) }]),
    ...rest,
    ...calls.flatMap((call): Turn[] => {
      const answer = answerOf(call);
      return answer === undefined ? [] : [{ role: "tool", text: answer }];
    }),
  ];
}

const thoughtsOf = (message: Fields): string[] =>
  (listAt(message, "thoughts") ?? []).map((one) =>
    thought([textAt(one, "subject"), textAt(one, "description")].filter(Boolean).join(": ")),
  );

/** What a call answered: parts with a function's response, or a text. */
function answerOf(call: Fields): string | undefined {
  const { result } = call;
  if (result === null || result === undefined) return undefined;
  if (!Array.isArray(result)) return plainText(result);
  return result
    .map((part) => {
      const response = fieldsAt(part, "functionResponse", "response");
      return response === undefined
        ? contentText(part)
        : (textAt(response, "output") ?? textAt(response, "error") ?? plainText(response));
    })
    .join("\n");
}
