import { HarnessError } from "../../../base/errors.ts";
import { quoteForMessage, fileBytes } from "../../../reading/bytes.ts";
import { readAround, readWithin } from "../../../reading/arrayMember.ts";
import { readDocument } from "../../../reading/document.ts";
import { openZip, type ZipArchive, type ZipMember } from "../../../reading/zip.ts";
import {
  noted,
  Refusal,
  unknown,
  type Entry,
  type FileAdapter,
  type ForeignFile,
  type RolloutDraft,
  type Verdict,
} from "../parts/adapter.ts";
import { extraOf } from "../parts/clip.ts";
import { readModelCalls } from "./inspectModels.ts";
import { readScores, scoresOf, type InspectScores } from "./inspectScores.ts";
import { inspectTurns } from "./inspectTurns.ts";
import { meanOf } from "../parts/means.ts";
import { timeAt } from "../parts/times.ts";
import { tokenValues } from "../parts/tokenValues.ts";
import {
  at,
  countAt,
  fieldsAt,
  idAt,
  isFields,
  listAt,
  nameAt,
  numberAt,
  textAt,
  type Fields,
} from "../parts/untrusted.ts";

/** Logs of Inspect: `.eval` archives, finished or not, and `.json` files. One log is one run, one sample one rollout. */
export const inspect: FileAdapter = {
  name: "inspect",
  title: "Inspect log",
  note: {
    writer: "Inspect",
    files: "`*.eval`, `*.json`",
    verdict: "C, I and booleans if the scores of a sample agree; else `--pass-when`",
  },
  source: "inspect_ai@499e6152 src/inspect_ai/log/_log.py:1130 EvalLog, log/_recorders/eval.py:92",
  provides: "rollouts",
  unit: "file",
  detect: async (file) => {
    if (isArchive(file)) return true;
    const log = await file.document();
    return log === undefined ? logHead.test(file.head.toString("utf8", 0, 4096)) : isLog(log);
  },
  splitOf: () => "selection",
  read: (file) => (isArchive(file) ? readArchive(file) : readJson(file)),
  absent: {},
  inferred: {
    item: "name of the task, and id of the sample within it",
    sample: "epoch, counted from 0",
    group: "the epochs of one sample",
    outcome: "C, I and booleans are verdicts if all scores of a sample agree; other values are not",
    tokens: "output tokens of the model calls, without those that scorers made",
    started_at: "time of the first event in logs without started_at",
    "turns.ok": "a tool's answer without an error is a success",
  },
};

const logHead =
  /^(?:\ufeff)?\s*\{\s*"version":\s*\d+,\s*"status":\s*"(?:started|success|cancelled|error)",\s*"eval":\s*\{/;

const isArchive = (file: ForeignFile): boolean =>
  file.name.toLowerCase().endsWith(".eval") && file.head.subarray(0, 2).toString("latin1") === "PK";

const isLog = (log: unknown): boolean =>
  numberAt(log, "version") !== undefined &&
  textAt(log, "status") !== undefined &&
  textAt(log, "eval", "task") !== undefined &&
  textAt(log, "eval", "model") !== undefined;

async function* readJson(file: ForeignFile): AsyncGenerator<Entry> {
  const name = file.path;
  const log = noted(file, await readAround(fileBytes(file.path), "samples", { name }));
  if (!isFields(log)) throw new Refusal("an Inspect log must be an object");
  let record = 0;
  for await (const item of readWithin(fileBytes(file.path), "samples", { name })) {
    record++;
    yield item.type === "problem"
      ? { record, problem: item.reason }
      : entryOf(record, item.value, log, item.nonFinite?.count);
  }
  if (record === 0) yield nothingIn(log);
}

async function* readArchive(file: ForeignFile): AsyncGenerator<Entry> {
  const archive = await openZip(file.path);
  try {
    const log = await headerOf(file, archive);
    let record = 0;
    for (const member of samplesOf(archive)) yield await memberEntry(archive, member, log, ++record);
    if (record === 0) yield nothingIn(log);
  } finally {
    await archive.close();
  }
}

/** A log that is still written, or whose writer was killed, has only what was known at its start. */
async function headerOf(file: ForeignFile, archive: ZipArchive): Promise<Fields> {
  const named = (name: string): ZipMember | undefined => archive.members.findLast((m) => m.name === name);
  const member = named("header.json") ?? named("_journal/start.json");
  if (member === undefined)
    throw new Refusal(
      `${archive.path} has neither header.json nor _journal/start.json: it is not an Inspect log`,
    );
  const name = `${member.name} of ${archive.path}`;
  const value = noted(file, await readDocument(archive.stream(member), { name }));
  if (isFields(value)) return value;
  throw new Refusal(`${member.name} of ${archive.path} must be an object`);
}

/** A sample that was written again replaces the one before it. */
function samplesOf(archive: ZipArchive): ZipMember[] {
  const samples = archive.members.filter(({ name }) => /^samples\/[^/]+\.json$/.test(name));
  return [...new Map(samples.map((member) => [member.name, member])).values()];
}

async function memberEntry(
  archive: ZipArchive,
  member: ZipMember,
  log: Fields,
  record: number,
): Promise<Entry> {
  try {
    const name = `${quoteForMessage(member.name)} of ${archive.path}`;
    const { value, nonFinite } = await readDocument(archive.stream(member), { name });
    return entryOf(record, value, log, nonFinite?.count);
  } catch (e) {
    if (HarnessError.is(e, "badInput")) return { record, problem: e.message };
    throw e;
  }
}

function nothingIn(log: Fields): Entry {
  const status = nameAt(log, "status") ?? "started";
  return {
    record: 1,
    problem: `the log of ${nameAt(log, "eval", "task") ?? "a task"} (status ${status}) has no samples, so it contains no rollouts`,
  };
}

function entryOf(record: number, sample: unknown, log: Fields, nonFinite: number | undefined): Entry {
  try {
    return { record, drafts: [draftOf(sample, log)], nonFinite };
  } catch (e) {
    if (Refusal.is(e)) return { record, problem: e.message, raw: JSON.stringify(sample).slice(0, 4096) };
    throw e;
  }
}

function draftOf(sample: unknown, log: Fields): RolloutDraft {
  if (!isFields(sample)) throw new Refusal("a sample must be an object");
  const [id, epoch] = [idAt(sample, "id"), countAt(sample, "epoch")];
  if (id === undefined || epoch === undefined || epoch === 0)
    throw new Refusal("a sample needs an id, and an epoch from 1");
  const spec = fieldsAt(log, "eval") ?? {};
  const [task, model] = [nameAt(spec, "task"), nameAt(spec, "model")];
  // Logs of 2024 kept events and attachments in a transcript.
  const events = listAt(sample, "events") ?? listAt(sample, "transcript", "events") ?? [];
  const attachments = fieldsAt(sample, "attachments") ?? fieldsAt(sample, "transcript", "content") ?? {};
  const calls = readModelCalls(events, model);
  const scores = scoresOf(sample, log);
  const read = readScores(scores);
  const seconds = numberAt(sample, "total_time");
  return {
    type: "rollout",
    id: `${id}_epoch_${epoch}`,
    item: task === undefined ? id : `${task}/${id}`,
    sample: epoch - 1,
    verdict: verdict(sample, log, read),
    reward: read.reward,
    components: read.components,
    turns: inspectTurns(sample, attachments, calls),
    stop_reason: stopReason(sample),
    tokens: calls.tokens,
    logprob_mean: meanOf(calls.logprobs ?? []),
    policy: model ?? null,
    harness: nameAt(spec, "revision", "commit") ?? null,
    seed: numberAt(spec, "model_generate_config", "seed") ?? numberAt(log, "plan", "config", "seed") ?? null,
    started_at: timeAt(sample, "started_at") ?? timeAt(events[0], "timestamp") ?? null,
    duration_ms: seconds === undefined ? null : seconds * 1000,
    extra: { ...extraFields(sample, log, scores), ...tokenValues({ token_logprobs: calls.logprobs }) },
  };
}

function verdict(sample: Fields, log: Fields, scores: InspectScores): Verdict {
  const error = at(sample, "error");
  if (error !== undefined && error !== null)
    return unknown(`the sample failed: ${(nameAt(error, "message") ?? JSON.stringify(error)).slice(0, 300)}`);
  const invalid = at(sample, "invalidation");
  if (invalid !== undefined && invalid !== null)
    return unknown(`the sample was invalidated: ${nameAt(invalid, "reason") ?? "no reason given"}`);
  const status = nameAt(log, "status");
  // A sample that was scored counts whatever became of its log, as it does when the evaluation is taken up again.
  if (scores.verdict.outcome === "unknown" && (status === "error" || status === "cancelled")) {
    const why = nameAt(log, "error", "message");
    return unknown(`the status of the log is ${status}${why === undefined ? "" : `: ${why.slice(0, 300)}`}`);
  }
  return scores.verdict;
}

function stopReason(sample: Fields): string | null {
  const limit = nameAt(sample, "limit", "type") ?? nameAt(sample, "limit");
  if (limit !== undefined) return limit;
  if (fieldsAt(sample, "error") !== undefined) return "error";
  return nameAt(sample, "output", "choices", 0, "stop_reason") ?? null;
}

function extraFields(sample: Fields, log: Fields, scores: Fields): Record<string, unknown> {
  return extraOf({
    status: log["status"] ?? "started",
    target: sample["target"],
    choices: sample["choices"],
    scores: Object.fromEntries(Object.entries(scores).map(([name, score]) => [name, explained(score)])),
    metadata: sample["metadata"],
    error: at(sample, "error", "message"),
    error_retries: listAt(sample, "error_retries")?.length,
    limit: sample["limit"],
    invalidation: sample["invalidation"],
    uuid: sample["uuid"],
    sandbox: sample["sandbox"],
    model_usage: sample["model_usage"],
    working_time: sample["working_time"],
    task_args: at(log, "eval", "task_args"),
  });
}

/** A score without the conversation of the model that graded. */
const explained = (score: unknown): Record<string, unknown> =>
  extraOf({ value: at(score, "value"), answer: at(score, "answer"), explanation: at(score, "explanation") });
