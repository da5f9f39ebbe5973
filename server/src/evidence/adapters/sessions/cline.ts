import { chatTurns, contentText } from "../chat/chat.ts";
import { noVerdict, type RolloutDraft } from "../parts/adapter.ts";
import { isoOf, millisBetween } from "../parts/times.ts";
import { isFields, listAt, nameAt, numberAt } from "../parts/untrusted.ts";
import { sessionAdapter } from "./sessionFile.ts";

/** Tasks of Cline: what it sent to the model and what the model answered, a folder for each task. */
export const cline = sessionAdapter({
  name: "cline",
  title: "Cline task",
  note: { writer: "Cline", files: "`tasks/<task>/api_conversation_history.json`" },
  source: "cline src/core/storage/disk.ts getSavedApiConversationHistory: a list of Anthropic messages",
  isSession: (document, file) =>
    file.name === "api_conversation_history.json" &&
    (listAt(document) ?? []).length > 0 &&
    (listAt(document) ?? []).every((one) => isFields(one) && nameAt(one, "role") !== undefined),
  // Each task has a folder, which is named after it.
  runAbove: () => 1,
  draftOf(document, file): RolloutDraft {
    const messages = (listAt(document) ?? []).map(asAnswer);
    const request = messages.find((one) => nameAt(one, "role") === "user");
    const times = messages.flatMap((one) => isoOf(secondsAt(numberAt(one, "ts"))) ?? []);
    const folder = file.folders[0] ?? "";
    return {
      type: "rollout",
      id: folder === "" ? null : folder,
      ...(isFields(request) ? { prompt: contentText(request["content"]) } : {}),
      verdict: noVerdict("a task is not evaluated"),
      turns: chatTurns(messages),
      started_at: times[0] ?? isoOf(/^\d{13}$/.test(folder) ? Number(folder) / 1000 : undefined),
      duration_ms: millisBetween(times[0], times.at(-1)) ?? null,
    };
  },
  absent: {
    policy: "the model is in another file of the task",
    tokens: "counted in another file of the task",
    stop_reason: "not in the conversation",
    harness: "not in the conversation",
    "turns.tokens": "counted in another file of the task",
    "turns.ms": "not in the conversation",
  },
  inferred: {
    started_at: "time of the first message, or the name of the folder, which is a time",
    duration_ms: "from the first message to the last",
    "turns.tool": "calls in the model's own notation; older tasks write calls as tags into the text",
  },
});

/** What calls answered is sent as a message of the user. */
const asAnswer = (message: unknown): unknown =>
  isFields(message) &&
  (listAt(message, "content") ?? []).some((part) => nameAt(part, "type") === "tool_result")
    ? { ...message, role: "tool" }
    : message;

const secondsAt = (millis: number | undefined): number | undefined =>
  millis === undefined ? undefined : millis / 1000;
