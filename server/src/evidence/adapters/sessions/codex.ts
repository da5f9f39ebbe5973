import type { Turn } from "../../../../../shared/model/rollout.ts";
import { responseTurns } from "../chat/responses.ts";
import {
  noVerdict,
  Refusal,
  type Entry,
  type FileAdapter,
  type ForeignFile,
  type RolloutDraft,
} from "../parts/adapter.ts";
import { extraOf } from "../parts/clip.ts";
import { millisBetween, timeAt } from "../parts/times.ts";
import { countAt, fieldsAt, isFields, nameAt, numberAt, textAt, type Fields } from "../parts/untrusted.ts";
import { folderAbove } from "./folders.ts";
import { absentInSessions } from "./sessionFile.ts";
import { parsedText } from "../traces/messages.ts";
import { gatheredEntries, headRecords, traceRecords, type TraceRecord } from "../traces/records.ts";

/** Sessions of the Codex CLI, which it calls rollouts: one file is one rollout. */
export const codex: FileAdapter = {
  name: "codex",
  title: "Codex session",
  note: { writer: "Codex CLI", files: "`rollout-<time>-<id>.jsonl`", verdict: "none: `--pass-when`" },
  source:
    "codex codex-rs/protocol/src/protocol.rs RolloutLine; sessions of Codex 0.40 in agentcmd@958c4940 packages/agent-cli-sdk/tests/fixtures/codex/full",
  provides: "rollouts",
  unit: "file",
  detect: (file) => file.name.endsWith(".jsonl") && isMeta(headRecords(file)[0]),
  // Below the folder of all sessions there is one for each day.
  runOf: (file) => {
    const depth = Math.max(0, file.folders.indexOf("sessions"));
    return { name: file.folders[depth] ?? "sessions", path: folderAbove(file, depth) };
  },
  splitOf: () => "selection",
  read,
  absent: {
    ...absentInSessions,
    harness: "its version is in extra; the commit is not in the session",
    "turns.tokens": "counted for the whole session only",
  },
  inferred: {
    item: "equal first requests are one item",
    sample: "order of the sessions",
    duration_ms: "from the first line to the last",
    stop_reason: "the last event that ends a turn",
    "turns.ok": "the exit code of the command that a call ran",
    "turns.ms": "the time that the answer to a call states",
  },
};

const isMeta = (value: unknown): value is Fields =>
  isFields(value) && value["type"] === "session_meta" && nameAt(value, "payload", "id") !== undefined;

async function* read(file: ForeignFile): AsyncGenerator<Entry> {
  const lines: Fields[] = [];
  const problems: TraceRecord[] = [];
  let first = 0;
  for await (const item of traceRecords(file)) {
    if (!("value" in item)) problems.push(item);
    else if (isFields(item.value)) {
      first ||= item.record;
      lines.push(item.value);
    }
  }
  yield* gatheredEntries([{ record: first || 1, drafts: () => [draftOf(lines)] }], problems);
}

function draftOf(lines: readonly Fields[]): RolloutDraft {
  const meta = fieldsAt(lines.find(isMeta), "payload");
  if (meta === undefined) throw new Refusal("a session begins with session_meta");
  const payloads = (type: string): Fields[] =>
    lines.flatMap((line): Fields[] => {
      const payload = line["type"] === type ? fieldsAt(line, "payload") : undefined;
      return payload === undefined ? [] : [payload];
    });
  const items = payloads("response_item");
  const events = payloads("event_msg");
  const turns = withResults(responseTurns(items.map(readableItem)), items);
  const times = lines.flatMap((line) => timeAt(line, "timestamp") ?? []);
  const request = events.find((event) => event["type"] === "user_message");
  const usage = events.findLast(
    (event) => event["type"] === "token_count" && fieldsAt(event, "info") !== undefined,
  );
  const end = events.findLast((event) =>
    /^(?:task_complete|turn_aborted|error)$/.test(nameAt(event, "type") ?? ""),
  );
  const prompt = textAt(request, "message");
  return {
    type: "rollout",
    id: nameAt(meta, "id") ?? null,
    ...(prompt === undefined ? {} : { prompt }),
    verdict: noVerdict("a session is not evaluated"),
    turns,
    stop_reason: nameAt(end, "type") ?? null,
    tokens: countAt(usage, "info", "total_token_usage", "output_tokens") ?? null,
    policy: nameAt(payloads("turn_context").at(-1), "model") ?? null,
    started_at: timeAt(meta, "timestamp") ?? times[0] ?? null,
    duration_ms: millisBetween(times[0], times.at(-1)) ?? null,
    extra: extraOf({
      version: meta["cli_version"],
      originator: meta["originator"],
      source: meta["source"],
      git: meta["git"],
    }),
  };
}

/** An answer is a text, or JSON in a text with the exit code beside the words. */
function readableItem(item: Fields): Fields {
  if (!isAnswer(item)) return item;
  const inner = answerOf(item);
  return { ...item, output: textAt(inner, "output") ?? textAt(inner, "content") ?? item["output"] };
}

const isAnswer = (item: Fields): boolean => nameAt(item, "type")?.endsWith("_output") === true;

const answerOf = (item: Fields): unknown => parsedText(item["output"]);

/** Whether each call succeeded and how long its answer took, where the answer says so. */
function withResults(turns: readonly Turn[], items: readonly Fields[]): Turn[] {
  const answers = items.filter(isAnswer);
  const byCall = new Map(answers.map((item) => [nameAt(item, "call_id"), answerOf(item)]));
  const calls = items.filter((item) => /_call$/.test(nameAt(item, "type") ?? ""));
  let [call, answer] = [0, 0];
  return turns.map((turn): Turn => {
    if (turn.tool !== undefined) {
      const said = byCall.get(nameAt(calls[call++], "call_id"));
      const exit = numberAt(said, "metadata", "exit_code");
      return exit === undefined ? turn : { ...turn, ok: exit === 0 };
    }
    if (turn.role !== "tool") return turn;
    const item = answers[answer++];
    const seconds = numberAt(item === undefined ? undefined : answerOf(item), "metadata", "duration_seconds");
    return seconds === undefined || seconds < 0 ? turn : { ...turn, ms: seconds * 1000 };
  });
}
