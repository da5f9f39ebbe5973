import type { Turn } from "../../../../../shared/model/rollout.ts";
import { chatTurns, contentText } from "../chat/chat.ts";
import { noVerdict, type Draft, type Entry, type FileAdapter, type ForeignFile } from "../parts/adapter.ts";
import { extraOf } from "../parts/clip.ts";
import { millisBetween, timeAt } from "../parts/times.ts";
import {
  at,
  booleanAt,
  countAt,
  fieldsAt,
  isFields,
  listAt,
  nameAt,
  textAt,
  type Fields,
} from "../parts/untrusted.ts";
import {
  gatheredEntries,
  headRecords,
  traceRecords,
  type Gathered,
  type TraceRecord,
} from "../traces/records.ts";
import { folderAbove } from "./folders.ts";
import { absentInSessions } from "./sessionFile.ts";

/**
 * Sessions of Claude Code. A session is one rollout; each agent that it started is another one, named after the session,
 * whether it stands in the session's file or in one of its own.
 */
export const claudeCode: FileAdapter = {
  name: "claude-code",
  title: "Claude Code session",
  note: {
    writer: "Claude Code",
    files: "`<session>.jsonl`, `agent-*.jsonl`",
    verdict: "none: `--pass-when`",
  },
  source:
    "sessions of Claude Code 2.0 in agentcmd@958c4940 packages/agent-cli-sdk/tests/fixtures/claude/full",
  provides: "rollouts",
  unit: "file",
  detect: (file) => file.name.endsWith(".jsonl") && headRecords(file).some(isMessage),
  // The sessions of a project lie in one folder, those of their agents in folders below it.
  runOf: (file) => {
    const depth = file.folders.indexOf("subagents") + 1;
    const up = depth === 0 ? 0 : depth + 1;
    return { name: file.folders[up] ?? "sessions", path: folderAbove(file, up) };
  },
  splitOf: () => "selection",
  read,
  absent: {
    ...absentInSessions,
    harness: "its version is in extra; the commit is not in the session",
  },
  inferred: {
    item: "equal first requests are one item",
    sample: "order of the sessions",
    started_at: "time of the first message",
    duration_ms: "from the first message to the last",
    tokens: "output tokens of all messages; what was said on an abandoned branch is left out",
    turns: "of two requests that answer the same message, the later one counts",
    "turns.ms": "from a call to its answer",
  },
};

const isMessage = (value: unknown): value is Fields =>
  isFields(value) &&
  (value["type"] === "user" || value["type"] === "assistant") &&
  nameAt(value, "sessionId") !== undefined &&
  nameAt(value, "uuid") !== undefined &&
  fieldsAt(value, "message") !== undefined;

interface Line {
  readonly record: number;
  readonly value: Fields;
}

async function* read(file: ForeignFile): AsyncGenerator<Entry> {
  const lines = new Map<string, Line>();
  const problems: TraceRecord[] = [];
  for await (const item of traceRecords(file)) {
    if (!("value" in item)) problems.push(item);
    else if (isMessage(item.value)) {
      // Resuming a session writes what it repeats with the same names.
      const id = nameAt(item.value, "uuid") ?? "";
      if (!lines.has(id)) lines.set(id, { record: item.record, value: item.value });
    }
  }
  const all = withoutAbandoned([...lines.values()]);
  yield* gatheredEntries([...conversations(all)].map(gatheredOf), problems);
}

/** The lines of the session itself and of each agent, by the name of the rollout. */
function conversations(lines: readonly Line[]): Map<string, Line[]> {
  const found = new Map<string, Line[]>();
  const roots = new Map<string, string>();
  for (const line of lines) {
    const { value } = line;
    const session = nameAt(value, "sessionId") ?? "";
    const uuid = nameAt(value, "uuid") ?? "";
    const root = roots.get(nameAt(value, "parentUuid") ?? "") ?? uuid;
    if (booleanAt(value, "isSidechain") === true) roots.set(uuid, root);
    const agent = booleanAt(value, "isSidechain") === true ? (nameAt(value, "agentId") ?? root) : undefined;
    const name = agent === undefined ? session : `${session}/${agent}`;
    const before = found.get(name);
    if (before === undefined) found.set(name, [line]);
    else before.push(line);
  }
  return found;
}

/** A person who goes back and asks otherwise leaves the first request and all that followed it. */
function withoutAbandoned(lines: readonly Line[]): Line[] {
  const newest = new Map<string, string>();
  for (const { value } of lines)
    if (isRequest(value)) newest.set(siblings(value), nameAt(value, "uuid") ?? "");
  const gone = new Set<string>();
  return lines.filter(({ value }) => {
    const uuid = nameAt(value, "uuid") ?? "";
    const left =
      gone.has(nameAt(value, "parentUuid") ?? "") ||
      (isRequest(value) && newest.get(siblings(value)) !== uuid);
    if (left) gone.add(uuid);
    return !left;
  });
}

const siblings = (value: Fields): string =>
  nameAt(value, "parentUuid") ?? `root of ${nameAt(value, "uuid") ?? ""}`;

const isRequest = (value: Fields): boolean =>
  value["type"] === "user" &&
  booleanAt(value, "isMeta") !== true &&
  !(listAt(value, "message", "content") ?? []).some((part) => nameAt(part, "type") === "tool_result");

/** What the program writes about commands of its own: no request to the policy. */
const command = /^\s*<(?:command-name|command-message|local-command-stdout)>/;

function gatheredOf([id, lines]: readonly [string, readonly Line[]]): Gathered {
  return {
    record: lines[0]?.record ?? 1,
    drafts: () => [
      draftOf(
        id,
        lines.map(({ value }) => value),
      ),
    ],
  };
}

function draftOf(id: string, lines: readonly Fields[]): Draft {
  const messages = merged(lines);
  const turns = messages.flatMap((message, i) => turnsOf(message, messages.slice(0, i)));
  const said = messages.filter((message) => message["role"] === "assistant");
  const counted = said.flatMap((message) => countAt(message, "usage", "output_tokens") ?? []);
  const times = lines.flatMap((line) => timeAt(line, "timestamp") ?? []);
  const request = messages.find(
    (message) =>
      message["role"] === "user" &&
      message["meta"] !== true &&
      !command.test(contentText(message["content"])),
  );
  const slash = id.indexOf("/");
  return {
    type: "rollout",
    id,
    ...(request === undefined ? {} : { prompt: contentText(request["content"]) }),
    verdict: noVerdict("a session is not evaluated"),
    turns: withFailures(turns, messages),
    stop_reason: nameAt(said.at(-1), "stop_reason") ?? null,
    tokens: counted.length === 0 ? null : counted.reduce((sum, n) => sum + n, 0),
    policy:
      said
        .map((message) => nameAt(message, "model"))
        .find((model) => model !== undefined && model !== "<synthetic>") ?? null,
    started_at: times[0] ?? null,
    duration_ms: millisBetween(times[0], times.at(-1)) ?? null,
    extra: extraOf({
      version: lines[0]?.["version"],
      git_branch: lines[0]?.["gitBranch"],
      agent_of: slash === -1 ? undefined : id.slice(0, slash),
    }),
  };
}

/** The messages of the lines: each part of what the policy said has a line, and they all have the message's id. */
function merged(lines: readonly Fields[]): Fields[] {
  const messages: Record<string, unknown>[] = [];
  const known = new Map<string, Record<string, unknown>>();
  for (const line of lines) {
    const message = fieldsAt(line, "message") ?? {};
    const role = line["type"];
    const id = role === "assistant" ? nameAt(message, "id") : undefined;
    const before = id === undefined ? undefined : known.get(id);
    const made = { ...message, role, meta: line["isMeta"], timestamp: line["timestamp"] };
    if (before === undefined) {
      messages.push(made);
      if (id !== undefined) known.set(id, made);
    } else
      Object.assign(before, {
        ...message,
        role,
        content: [...(listAt(before, "content") ?? []), ...(listAt(message, "content") ?? [])],
      });
  }
  return messages;
}

/** Answers of tools stand in messages of the user. */
function turnsOf(message: Fields, before: readonly Fields[]): Turn[] {
  const content = message["content"];
  if (message["role"] === "user" && Array.isArray(content)) {
    const answers = content.filter((part) => nameAt(part, "type") === "tool_result");
    const rest = content.filter((part) => nameAt(part, "type") !== "tool_result");
    return [
      ...answers.map((part): Turn => {
        const call = before.findLast((one) => callsIn(one).includes(nameAt(part, "tool_use_id")));
        const ms = millisBetween(timeAt(call, "timestamp"), timeAt(message, "timestamp"));
        return { role: "tool", text: contentText(at(part, "content")), ...(ms === undefined ? {} : { ms }) };
      }),
      ...(rest.length === 0 ? [] : chatTurns([{ role: "user", content: rest }])),
    ];
  }
  const [first, ...rest] = chatTurns([message]);
  const tokens = message["role"] === "assistant" ? countAt(message, "usage", "output_tokens") : undefined;
  return first === undefined ? [] : [{ ...first, ...(tokens === undefined ? {} : { tokens }) }, ...rest];
}

const callsIn = (message: unknown): (string | undefined)[] =>
  (listAt(message, "content") ?? []).flatMap((part) =>
    textAt(part, "type") === "tool_use" ? [nameAt(part, "id")] : [],
  );

/** The calls in the order of their turns, with whether they failed, which their answers say. */
function withFailures(turns: readonly Turn[], messages: readonly Fields[]): Turn[] {
  const failed = new Map<string, boolean>();
  for (const message of messages)
    for (const part of listAt(message, "content") ?? []) {
      const id = nameAt(part, "tool_use_id");
      if (nameAt(part, "type") === "tool_result" && id !== undefined)
        failed.set(id, booleanAt(part, "is_error") === true);
    }
  const ids = messages.filter((message) => message["role"] === "assistant").flatMap(callsIn);
  let next = 0;
  return turns.map((turn) => {
    if (turn.tool === undefined) return turn;
    const bad = failed.get(ids[next++] ?? "");
    return bad === undefined ? turn : { ...turn, ok: !bad };
  });
}
