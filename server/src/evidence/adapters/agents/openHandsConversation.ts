import { basename, dirname } from "node:path";
import { HarnessError } from "../../../base/errors.ts";
import { parseForeignJson } from "../parts/foreignJson.ts";
import { openEvidence, readLines } from "../../contract/readLines.ts";
import {
  noVerdict,
  Refusal,
  unknown,
  type FileAdapter,
  type ForeignFile,
  type Verdict,
} from "../parts/adapter.ts";
import { isBeside, namesBeside } from "../parts/beside.ts";
import { openHandsTurns } from "./openHandsEvents.ts";
import { errorVerdict } from "./openHandsExit.ts";
import { millisBetween } from "../parts/times.ts";
import { countAt, fieldsAt, isFields, nameAt, textAt, type Fields } from "../parts/untrusted.ts";

/** A log of events above this size is refused: it is held in memory as one rollout. */
const maxLogBytes = 256 * 1024 * 1024;
const maxEvents = 100_000;

const eventFile = /^event-(\d{5,})-[0-9a-fA-F-]{8,}\.json$/;

/**
 * Conversations of the OpenHands SDK: a folder with `base_state.json` and one file per event in `events/`, such a folder
 * of events alone, or the events in one JSONL file. Each is one rollout.
 */
export const openHandsConversation: FileAdapter = {
  name: "openhands-conversation",
  title: "OpenHands SDK conversation",
  note: {
    writer: "OpenHands SDK",
    files: "`base_state.json` with `events/`, or events as `*.jsonl`",
    verdict: "none: `--pass-when`",
  },
  source:
    "software-agent-sdk@611629e6 openhands-sdk/openhands/sdk/conversation/{persistence_const,event_store,state}.py",
  provides: "rollouts",
  unit: "file",
  detect: async (file) => (await shapeOf(file)) !== undefined,
  // The conversations of one run lie in folders beside each other.
  runOf: (file) => {
    const folder = conversationFolder(file);
    return folder === undefined
      ? { name: file.name.replace(/\.jsonl$/, ""), path: file.path }
      : { name: basename(dirname(folder)) || "conversations", path: dirname(folder) };
  },
  companions: (file) => [file.name === "base_state.json" ? "events/event-*.json" : "event-*.json"],
  read: async function* (file) {
    const folder = conversationFolder(file);
    const state = await stateOf(file);
    const events = await (folder === undefined ? linesOf(file) : filesOf(file));
    if (events.length === 0) throw new Refusal("the conversation has no events");
    const told = branchOf(events, state);
    const turns = openHandsTurns(told, new Map());
    const status = nameAt(state, "execution_status") ?? statusIn(events);
    const times = told.map((event) => textAt(event, "timestamp")).filter((time) => time !== undefined);
    const request = turns.find((turn) => turn.role === "user")?.text;
    yield {
      record: 1,
      drafts: [
        {
          type: "rollout",
          id: nameAt(state, "id") ?? (folder === undefined ? null : basename(folder)),
          ...(request === undefined ? {} : { prompt: request }),
          verdict: verdictOf(events, status),
          turns,
          stop_reason: status ?? null,
          tokens: tokensOf(events, state) ?? null,
          policy: nameAt(state, "agent", "llm", "model") ?? modelIn(events) ?? null,
          started_at: times[0] ?? null,
          duration_ms: millisBetween(times[0], times.at(-1)) ?? null,
          extra:
            told.length === events.length ? {} : { events_of_other_branches: events.length - told.length },
        },
      ],
    };
  },
  absent: {
    step: "conversations are not training steps",
    reward: "a conversation is not evaluated",
    components: "a conversation is not evaluated",
    logprob_mean: "not in the events",
    harness: "not in the events",
    seed: "not in the events",
    "turns.tokens": "counted for the whole conversation only",
  },
  inferred: {
    item: "equal first requests are one item",
    sample: "order of the conversations",
    started_at: "time of the first event; the source names no time zone",
    duration_ms: "from the first event to the last",
    "turns.ms": "from an action to what was observed",
  },
};

type Shape = "state" | "events" | "lines";

async function shapeOf(file: ForeignFile): Promise<Shape | undefined> {
  if (file.name === "base_state.json") {
    const state = await file.document();
    const isState = nameAt(state, "id") !== undefined && fieldsAt(state, "agent") !== undefined;
    return isState && (await namesBeside(file, "events")).some((name) => eventFile.test(name))
      ? "state"
      : undefined;
  }
  const [, index] = eventFile.exec(file.name) ?? [];
  if (index !== undefined) {
    // The first event stands for all, unless the state does.
    const names = (await namesBeside(file, ".")).filter((name) => eventFile.test(name));
    if (names[0] !== file.name || (await isBeside(file, "../base_state.json"))) return undefined;
    return isEvent(await file.document()) ? "events" : undefined;
  }
  return file.name.endsWith(".jsonl") && isEvent(await file.firstRecord()) ? "lines" : undefined;
}

const isEvent = (value: unknown): value is Fields =>
  isFields(value) &&
  ["id", "timestamp", "source"].every((key) => nameAt(value, key) !== undefined) &&
  /(?:Event|Observation|Condensation|CondensationRequest)$/.test(nameAt(value, "kind") ?? "");

/** The folder of a conversation that is kept in files. */
function conversationFolder(file: ForeignFile): string | undefined {
  if (file.name === "base_state.json") return dirname(file.path);
  if (!eventFile.test(file.name)) return undefined;
  return file.folders[0] === "events" ? dirname(dirname(file.path)) : dirname(file.path);
}

async function stateOf(file: ForeignFile): Promise<Fields | undefined> {
  const state = file.name === "base_state.json" ? await file.document() : undefined;
  return isFields(state) ? state : undefined;
}

async function filesOf(file: ForeignFile): Promise<Fields[]> {
  const folder = file.name === "base_state.json" ? "events" : ".";
  const numbered = (await namesBeside(file, folder))
    .map((name) => ({ name, index: Number(eventFile.exec(name)?.[1] ?? NaN) }))
    .filter(({ index }) => !Number.isNaN(index))
    .sort((a, b) => a.index - b.index);
  if (numbered.length > maxEvents) throw new Refusal(`the conversation has more than ${maxEvents} events`);
  const events: Fields[] = [];
  for (const { name } of numbered) {
    const event = await file.beside(`${folder}/${name}`);
    if (!isFields(event)) throw new Refusal(`${folder}/${name} is not an event`);
    events.push(event);
  }
  return events;
}

async function linesOf(file: ForeignFile): Promise<Fields[]> {
  if (file.size > maxLogBytes)
    throw new Refusal(`the log of events is larger than ${maxLogBytes / 1024 / 1024} MiB`);
  const handle = await openEvidence(file.path);
  const events: Fields[] = [];
  let nonFinite = 0;
  try {
    for await (const lines of readLines(handle, 0))
      for (const line of lines) {
        const parsed = parseForeignJson(line);
        if (parsed.type === "blank" || (parsed.type === "bad" && !line.complete)) continue;
        if (parsed.type === "bad")
          throw new HarnessError("badInput", `${file.path} is not a list of events: ${parsed.reason}.`);
        nonFinite += parsed.nonFinite;
        if (isFields(parsed.record)) events.push(parsed.record);
      }
    if (nonFinite > 0) file.nonFinite.set(file.path, nonFinite);
    return events;
  } finally {
    await handle.close();
  }
}

/**
 * The events of the branch that the conversation ended on: from the leaf to the root. Events without a parent are a
 * list, in the order in which they were written.
 */
function branchOf(events: readonly Fields[], state: Fields | undefined): readonly Fields[] {
  const leaf = nameAt(state, "leaf_event_id");
  const place = new Map(events.map((event, i) => [nameAt(event, "id"), i]));
  if (leaf === undefined || !place.has(leaf)) return events;
  const chain = new Set<number>();
  for (let at = place.get(leaf); at !== undefined && !chain.has(at);) {
    chain.add(at);
    const parent = nameAt(events[at], "parent_id");
    if (parent === "__root__") break;
    at = parent === undefined ? (at > 0 ? at - 1 : undefined) : place.get(parent);
  }
  return events.filter((_, i) => chain.has(i));
}

const updates = (events: readonly Fields[], key: string): unknown =>
  events.findLast(
    (event) => textAt(event, "kind") === "ConversationStateUpdateEvent" && textAt(event, "key") === key,
  )?.["value"];

function statusIn(events: readonly Fields[]): string | undefined {
  const status = updates(events, "execution_status");
  return typeof status === "string" && status !== "" ? status : undefined;
}

/** How the usages of the model that acts are called; the condenser's tokens are not the policy's. */
const agentUsages = ["agent", "default"];

function usagesOf(events: readonly Fields[], state: Fields | undefined): unknown {
  const stats = fieldsAt(state, "stats") ?? fieldsAt(updates(events, "stats"));
  const usages = fieldsAt(stats, "usage_to_metrics");
  return agentUsages.map((name) => usages?.[name]).find(isFields);
}

const tokensOf = (events: readonly Fields[], state: Fields | undefined): number | undefined =>
  countAt(usagesOf(events, state), "accumulated_token_usage", "completion_tokens");

const modelIn = (events: readonly Fields[]): string | undefined =>
  nameAt(usagesOf(events, undefined), "model_name");

function verdictOf(events: readonly Fields[], status: string | undefined): Verdict {
  const error = events.findLast((event) => textAt(event, "kind") === "ConversationErrorEvent");
  if (error !== undefined && (status === "error" || status === undefined)) {
    const own = nameAt(error, "classification", "kind") === "agent_action";
    const words = [nameAt(error, "code"), nameAt(error, "detail")].filter((w) => w !== undefined).join(": ");
    return own ? noVerdict(`the conversation ended with: ${words}`) : errorVerdict(words);
  }
  switch (status) {
    case "finished":
    case "stuck":
      return noVerdict("a conversation is not evaluated");
    case undefined: {
      const finished = events.some(
        (event) => textAt(event, "kind") === "ActionEvent" && textAt(event, "tool_name") === "finish",
      );
      return finished
        ? noVerdict("a conversation is not evaluated")
        : unknown("the events do not say that the conversation ended");
    }
    case "error":
      return unknown("the conversation ended in an error that no event describes");
    default:
      return unknown(`the conversation had not ended: ${status}`);
  }
}
