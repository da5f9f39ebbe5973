import { dirname } from "node:path";
import type { Turn } from "../../../../../shared/model/rollout.ts";
import {
  noVerdict,
  Refusal,
  unknown,
  verdictOf,
  type ForeignFile,
  type LineAdapter,
  type RunPlace,
  type Verdict,
} from "../parts/adapter.ts";
import { openEvidence, readLines } from "../../contract/readLines.ts";
import { chatTurns, contentText } from "../chat/chat.ts";
import { parseForeignJson } from "../parts/foreignJson.ts";
import { isoOf } from "../parts/times.ts";
import {
  at,
  booleanAt,
  fieldsAt,
  idAt,
  isFields,
  listAt,
  nameAt,
  numberAt,
  numbersIn,
  textAt,
  without,
  type Fields,
} from "../parts/untrusted.ts";

/** What is no reward signal and no state of the environment. */
const known = [
  "prompt",
  "completion",
  "reward",
  "metrics",
  "timing",
  "generation_ms",
  "scoring_ms",
  "total_ms",
  "stop_condition",
  "trajectory",
  "tool_defs",
  "token_usage",
  "error",
  "error_chain",
  "long_error_chain",
];
const ids = ["example_id", "id"];

/** `results.jsonl` of vf-eval with `metadata.json` beside it, as of 2025 and as `RolloutOutput` has it now. */
export const verifiers: LineAdapter = {
  name: "verifiers",
  title: "verifiers evaluation",
  note: {
    writer: "verifiers, `vf-eval`",
    files: "`results.jsonl` beside `metadata.json`",
    verdict: "`pass_threshold` of the metadata; else `--pass-when`",
  },
  source: "verifiers@a60a606e verifiers/legacy/utils/save_utils.py state_to_output; types.py RolloutOutput",
  provides: "rollouts",
  unit: "line",
  signature: ["prompt", "completion", "reward", "example_id"],
  detect: async (file) => {
    const first = await file.firstRecord();
    return (
      isFields(first) &&
      "prompt" in first &&
      "completion" in first &&
      "reward" in first &&
      (numberAt(first, "example_id") !== undefined ||
        (numberAt(first, "id") !== undefined && textAt(first, "task") !== undefined))
    );
  },
  runOf,
  companions: () => ["metadata.json"],
  prepare: async (file): Promise<Prepared> => ({
    metadata: await file.beside("metadata.json"),
    lacksText: await lacksText(file),
  }),
  convert: (record, { file, prepared: known }) => {
    const { metadata: prepared, lacksText: isBare } = known as Prepared;
    if (!isFields(record)) throw new Refusal("a rollout must be an object");
    const reward = at(record, "reward");
    if (reward !== null && reward !== undefined && numberAt({ reward }, "reward") === undefined)
      throw new Refusal("reward must be a number");
    const [prompt, completion] = [said(record, "prompt", "user"), said(record, "completion", "assistant")];
    return [
      {
        type: "rollout",
        // Older files number the examples by `id`, and give several problems the same one: there an item is a group.
        group: idAt(record, "example_id") ?? null,
        prompt: requestOf(record, prompt),
        verdict: verdictIn(record, prepared, completion),
        reward: numberAt({ reward }, "reward") ?? null,
        components: components(record, prepared),
        stop_reason: nameAt(record, "stop_condition") ?? null,
        // Where the texts were not kept, nobody knows what the policy wrote: a prompt alone would say that it wrote nothing.
        turns: isBare ? [] : chatTurns([...prompt, ...completion]),
        tokens: numberAt(record, "token_usage", "output_tokens") ?? null,
        policy: nameAt(prepared, "model") ?? modelOf(file),
        started_at: isoOf(numberAt(record, "timing", "start_time")),
        duration_ms: duration(record),
        extra: { ...extra(record, prepared), ...(isBare ? { prompt: textOf(prompt) } : {}) },
      },
    ];
  },
  absent: {
    step: "an evaluation does not say which training step its model comes from",
    seed: "sampling has no seed in vf-eval",
    harness: "metadata.json has no commit of the environment",
    logprob_mean: "log-probabilities are only in the trajectory column, which is not saved to results.jsonl",
    "turns.tokens": "tokens are counted per rollout",
    "turns.ms": "time is measured per rollout",
    "turns.ok": "answers of tools do not say whether the call failed",
  },
  inferred: {
    item: "equal requests with an equal answer are one item: example_id only counts the examples of one run",
    sample: "order in the file within one example",
    outcome: "reward compared with pass_threshold of metadata.json, if there is one",
  },
};

/** What is known of a file before its rollouts are read. */
interface Prepared {
  readonly metadata: unknown;
  readonly lacksText: boolean;
}

/** Whether no completion of the file has a message although some earned a reward: then the texts were not kept. */
async function lacksText(file: ForeignFile): Promise<boolean> {
  const handle = await openEvidence(file.path);
  let isRewarded = false;
  try {
    for await (const lines of readLines(handle, 0))
      for (const line of lines) {
        const parsed = parseForeignJson(line);
        if (parsed.type !== "record") continue;
        const completion = at(parsed.record, "completion");
        if (completion !== null && completion !== "" && listAt(parsed.record, "completion")?.length !== 0)
          return false;
        isRewarded ||= (numberAt(parsed.record, "reward") ?? 0) > 0;
      }
    return isRewarded;
  } finally {
    await handle.close();
  }
}

/** vf-eval writes `<env>--<model>/<8 hex>/results.jsonl`. */
function runOf(file: ForeignFile): RunPlace {
  const [folder = "", parent = ""] = file.folders;
  if (file.name !== "results.jsonl") return { name: file.name.replace(/\.jsonl$/, ""), path: file.path };
  const name = /^[0-9a-f]{8}$/.test(folder) && parent !== "" ? `${parent}.${folder}` : folder;
  return { name, path: dirname(file.path) };
}

function modelOf(file: ForeignFile): string | null {
  const [, model] = /^.+?--(.+)$/.exec(file.folders[1] ?? "") ?? [];
  return model?.replaceAll("--", "/") ?? null;
}

/** Messages, or one text for models that complete text. An error may leave null. */
function said(record: Fields, key: string, role: string): readonly unknown[] {
  const value = record[key];
  if (value === null || value === undefined) return [];
  if (typeof value === "string") return [{ role, content: value }];
  if (Array.isArray(value)) return value;
  throw new Refusal(`${key} must be a list of messages or a text`);
}

const textOf = (messages: readonly unknown[]): string =>
  chatTurns(messages)
    .map(({ text }) => text)
    .join("\n\n");

/** What stays the same for a task when the system prompt, the tools or the order of the data set change. */
function requestOf(record: Fields, prompt: readonly unknown[]): string {
  const asked = chatTurns(prompt).filter((turn: Turn) => turn.role === "user" && turn.text !== "");
  const request = asked.map((turn) => turn.text);
  // Without any text (images alone) the place in the data set has to tell tasks apart.
  if (request.length === 0) request.push(idAt(record, "example_id") ?? idAt(record, "id") ?? "");
  return [...request, textAt(record, "answer") ?? ""].join("\n\n");
}

function verdictIn(record: Fields, metadata: unknown, completion: readonly unknown[]): Verdict {
  const error = errorIn(record);
  if (error !== undefined) return unknown(`the rollout failed: ${error}`);
  const reward = numberAt(record, "reward");
  if (reward === undefined) return unknown("the reward is null or NaN: the rubric gave no number");
  if (booleanAt(record, "is_completed") === false) return unknown("the rollout was not completed");
  if (completion.length === 0) return unknown("no text of the completion was kept: it has no message");
  const broken = deadEnvironment(completion);
  if (broken !== undefined) return unknown(broken);
  const threshold = numberAt(metadata, "pass_threshold");
  return threshold === undefined
    ? noVerdict("verifiers writes a rubric's number, and metadata.json has no pass_threshold")
    : verdictOf(reward >= threshold);
}

/**
 * Why nothing could be done in the environment: no reply of it shows a state, because its API failed. What else it says then is
 * that only the action is allowed that fails (the arc_agi_3 environment).
 */
function deadEnvironment(completion: readonly unknown[]): string | undefined {
  const replies = completion.flatMap((message) =>
    textAt(message, "role") === "assistant" ? [] : [contentText(at(message, "content"))],
  );
  const errors = replies.filter((text) => text.startsWith("API error while performing "));
  const others = replies.filter(
    (text) => !/^(API error while performing |Invalid action payload|Action \w+ not allowed)/.test(text),
  );
  return errors.length === 0 || others.length > 0
    ? undefined
    : `the infrastructure failed: the environment's API answered with errors (${errors.length} of ${replies.length} replies), and no action had an effect`;
}

function errorIn(record: Fields): string | undefined {
  const { error } = record;
  if (error === null || error === undefined || error === "" || error === false) return undefined;
  if (!isFields(error)) return typeof error === "string" ? error : JSON.stringify(error);
  return (
    [nameAt(error, "error"), nameAt(error, "message")].filter(Boolean).join(": ") || JSON.stringify(error)
  );
}

/** Metrics lie in `metrics`, and in files of every age also beside the other fields. */
function components(record: Fields, metadata: unknown): Record<string, number> {
  const state = (listAt(metadata, "state_columns") ?? []).filter((name) => typeof name === "string");
  return { ...numbersIn(without(record, ...known, ...ids, ...state)), ...numbersIn(record["metrics"]) };
}

/** Milliseconds of generating and scoring; zero stands for a phase that was not measured. */
function duration(record: Fields): number | null {
  const seconds = numberAt(record, "timing", "total");
  if (seconds !== undefined && seconds > 0) return seconds * 1000;
  return (numberAt(record, "generation_ms") ?? 0) > 0 ? (numberAt(record, "total_ms") ?? null) : null;
}

function extra(record: Fields, metadata: unknown): Record<string, unknown> {
  const signals = components(record, metadata);
  const rest = without(record, ...known, ...Object.keys(signals));
  const info = fieldsAt(record, "info");
  // Tools are the same for every rollout of a run and can be larger than the conversation.
  if (info !== undefined) rest["info"] = without(info, "oai_tools");
  if (Object.keys(fieldsAt(rest, "info") ?? rest).length === 0) delete rest["info"];
  const timing = fieldsAt(record, "timing");
  const phases = ["setup", "generation", "scoring", "model", "env"].flatMap((phase): [string, number][] => {
    const seconds = numberAt(timing, phase, "duration");
    return seconds === undefined ? [] : [[phase, seconds]];
  });
  const measured = ["generation_ms", "scoring_ms"].flatMap((name): [string, number][] => {
    const ms = numberAt(record, name);
    return ms === undefined ? [] : [[name, ms]];
  });
  const error = record["error"] ?? undefined;
  return {
    ...rest,
    ...Object.fromEntries(measured),
    ...(phases.length === 0 ? {} : { seconds: Object.fromEntries(phases) }),
    ...(error === undefined ? {} : { error }),
    ...(record["token_usage"] === undefined ? {} : { token_usage: record["token_usage"] }),
  };
}
