import { chatTurns, contentText } from "../chat/chat.ts";
import { noVerdict, type RolloutDraft } from "../parts/adapter.ts";
import { isoOf, millisBetween } from "../parts/times.ts";
import { countAt, isFields, listAt, nameAt, numberAt, textAt } from "../parts/untrusted.ts";
import { sessionAdapter } from "./sessionFile.ts";

/**
 * Tasks of Cline: what it sent to the model and what the model answered, a folder for each task; and the sessions of its newer
 * releases, which name the model and count its tokens.
 */
export const cline = sessionAdapter({
  name: "cline",
  title: "Cline task",
  note: {
    writer: "Cline",
    files: "`tasks/<task>/api_conversation_history.json`, `sessions/<session>/<session>.messages.json`",
  },
  source:
    "cline src/core/storage/disk.ts getSavedApiConversationHistory: a list of Anthropic messages; cline@21cb8d25 sdk/packages/core/fixtures/session",
  isSession: (document, file) => {
    const messages = messagesIn(document);
    return (
      (nameAt(document, "sessionId") === undefined
        ? file.name === "api_conversation_history.json"
        : file.name.endsWith("messages.json")) &&
      messages.length > 0 &&
      messages.every((one) => isFields(one) && nameAt(one, "role") !== undefined)
    );
  },
  // Each task has a folder, which is named after it.
  runAbove: () => 1,
  draftOf(document, file): RolloutDraft {
    const messages = messagesIn(document).map(asAnswer);
    const system = textAt(document, "system_prompt") ?? "";
    const counts = messages.flatMap((one) => countAt(one, "metrics", "outputTokens") ?? []);
    const model = messages.findLast((one) => nameAt(one, "modelInfo", "id") !== undefined);
    const request = messages.find((one) => nameAt(one, "role") === "user");
    const times = messages.flatMap((one) => isoOf(secondsAt(numberAt(one, "ts"))) ?? []);
    const folder = file.folders[0] ?? "";
    return {
      type: "rollout",
      id: nameAt(document, "sessionId") ?? (folder === "" ? null : folder),
      ...(isFields(request) ? { prompt: contentText(request["content"]) } : {}),
      verdict: noVerdict("a task is not evaluated"),
      turns: chatTurns([...(system === "" ? [] : [{ role: "system", content: system }]), ...messages]),
      tokens: counts.length === 0 ? null : counts.reduce((sum, n) => sum + n, 0),
      policy: nameAt(model, "modelInfo", "id") ?? null,
      started_at: times[0] ?? isoOf(/^\d{13}$/.test(folder) ? Number(folder) / 1000 : undefined),
      duration_ms: millisBetween(times[0], times.at(-1)) ?? null,
    };
  },
  absent: {
    stop_reason: "not in the conversation",
    harness: "not in the conversation",
    "turns.tokens": "counted for whole messages, of a task in another file",
    "turns.ms": "not in the conversation",
  },
  inferred: {
    policy: "model of the last answer; of a task it is in another file",
    tokens: "output tokens of all messages; of a task they are in another file",
    started_at: "time of the first message, or the name of the folder, which is a time",
    duration_ms: "from the first message to the last",
    "turns.tool": "calls in the model's own notation; older tasks write calls as tags into the text",
  },
});

const messagesIn = (document: unknown): readonly unknown[] =>
  listAt(document) ?? listAt(document, "messages") ?? [];

/** What calls answered is sent as a message of the user. */
const asAnswer = (message: unknown): unknown =>
  isFields(message) &&
  (listAt(message, "content") ?? []).some((part) => nameAt(part, "type") === "tool_result")
    ? { ...message, role: "tool" }
    : message;

const secondsAt = (millis: number | undefined): number | undefined =>
  millis === undefined ? undefined : millis / 1000;
