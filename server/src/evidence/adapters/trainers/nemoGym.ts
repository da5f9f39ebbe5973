import { dirname, join } from "node:path";
import {
  noVerdict,
  Refusal,
  unknown,
  verdictOf,
  type ForeignFile,
  type LineAdapter,
  type RolloutDraft,
  type RunPlace,
  type Verdict,
} from "../parts/adapter.ts";
import { kept } from "../parts/kept.ts";
import { meanOf } from "../parts/means.ts";
import { responseTurns } from "../chat/responses.ts";
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
  numbersIn,
  textAt,
  without,
  type Fields,
} from "../parts/untrusted.ts";

/**
 * Rollouts of NeMo Gym: what an agent was asked and answered in items of the Responses API, with the fields of the
 * environment's verifier beside the reward. `_failures.jsonl` beside it holds attempts that broke; files of inputs, of
 * aggregates and of reward profiles hold no rollouts.
 */
export const nemoGym: LineAdapter = {
  name: "nemo-gym",
  title: "NeMo Gym rollout",
  note: {
    writer: "NeMo Gym",
    files: "`*rollouts.jsonl`",
    verdict: "the verdict field of the environment; else `--pass-when`",
  },
  source: "NeMo-Gym@07d6b0d0 nemo_gym/rollout_collection.py; resources_servers/*/app.py VerifyResponse",
  provides: "rollouts",
  unit: "line",
  signature: ["responses_create_params", "response", "reward"],
  detect: async (file) => {
    const first = await file.firstRecord();
    if (fieldsAt(first, "responses_create_params") === undefined) return false;
    return (
      (listAt(first, "response", "output") !== undefined && at(first, "reward") !== undefined) ||
      nameAt(first, "_ng_failure_class") !== undefined
    );
  },
  runOf,
  companions: (file) =>
    [
      "materialized_inputs.jsonl",
      "reward_profiling.jsonl",
      "aggregate_metrics.json",
      "agent_metrics.json",
    ].map((ending) => `${stemOf(file)}_${ending}`),
  convert: (record) => {
    if (!isFields(record)) throw new Refusal("a rollout must be an object");
    const request = fieldsAt(record, "responses_create_params");
    if (request === undefined) throw new Refusal("responses_create_params must be an object");
    const reward = at(record, "reward") ?? null;
    if (reward !== null && typeof reward !== "number") throw new Refusal("reward must be a number");
    const output = at(record, "response", "output") ?? [];
    if (!Array.isArray(output)) throw new Refusal("response.output must be a list");
    const instructions = nameAt(request, "instructions");
    const item = itemOf(record, request);
    return [
      {
        type: "rollout",
        item,
        ...(item === null ? { prompt: taskOf(record, request) } : {}),
        group: idAt(record, "_ng_task_index") ?? null,
        sample: countAt(record, "_ng_rollout_index") ?? null,
        verdict: verdictIn(record),
        reward,
        components: components(record),
        stop_reason: stopReason(record),
        // Some agents keep their transcript elsewhere: that is no policy that wrote nothing.
        turns: isElsewhere(record)
          ? []
          : [
              ...(instructions === undefined ? [] : [{ role: "system", text: instructions }]),
              ...responseTurns(request["input"]),
              ...responseTurns(output),
            ],
        tokens: tokensOf(record),
        logprob_mean: meanOf(output.flatMap((item) => listAt(item, "generation_log_probs") ?? [])),
        policy: nameAt(record, "response", "model") ?? nameAt(request, "model") ?? null,
        seed: numberAt(record, "seed") ?? null,
        ...timesOf(record),
        extra: extra(record, request),
      },
    ];
  },
  absent: {
    step: "a collection of rollouts does not say which training step its model comes from",
    harness: "rows have no commit of the environment",
    "turns.ok": "status says whether an item is complete, not whether the call succeeded",
    "turns.ms": "time is measured per rollout, and only by some agents",
  },
  inferred: {
    item: "instance_id, task_id, uuid or the id of the task; without one, the task index with the first request",
    group: "_ng_task_index, which counts the tasks of one file",
    outcome:
      "resolved, correct, passed, judge_passed, accuracy or hit if the environment gives one as true or false",
  },
};

/** `<name>_failures.jsonl` belongs to `<name>.jsonl`, and a file in `data` is named by the environment around it. */
/**
 * Whether the agent kept its transcript elsewhere: the response is there and empty, without a count of the tokens that it took.
 * That is not a policy that wrote nothing.
 */
const isElsewhere = (record: Fields): boolean =>
  listAt(record, "response", "output")?.length === 0 && (at(record, "response", "usage") ?? null) === null;

function runOf(file: ForeignFile): RunPlace {
  const stem = stemOf(file);
  const environment = file.folders[0] === "data" ? file.folders[1] : undefined;
  return {
    name: environment === undefined ? stem : `${environment}-${stem}`,
    path: join(dirname(file.path), `${stem}.jsonl`),
  };
}

const stemOf = ({ name }: ForeignFile): string => name.replace(/\.jsonl$/, "").replace(/_failures$/, "");

function itemOf(record: Fields, request: Fields): string | null {
  const named =
    idAt(record, "instance_id") ??
    idAt(record, "task_id") ??
    idAt(record, "verifier_metadata", "task_id") ??
    idAt(request, "metadata", "instance_id") ??
    idAt(record, "uuid");
  if (named !== undefined) return named;
  const task = idAt(record, "task", "id");
  if (task === undefined) return null;
  const domain = nameAt(record, "config", "domain");
  return domain === undefined ? task : `${domain}/${task}`;
}

/**
 * What stands for a task without a name: its index with what is said up to the first request, images included. What
 * follows may be drawn anew in every rollout (cards, boards), and tasks may share all words. Without an index, the input.
 */
function taskOf(record: Fields, request: Fields): string {
  const { input } = request;
  const index = idAt(record, "_ng_task_index");
  if (index === undefined || !Array.isArray(input)) return JSON.stringify([index, input]);
  const asked = input.findIndex((message) => textAt(message, "role") === "user");
  return JSON.stringify([index, input.slice(0, asked + 1)]);
}

/** Reasons of a verifier that speak of itself and not of the answer. */
const brokenGraders = /^(unknown_error|gold_execution_error|judge_call_failed|judge_(swap_)?parsing_failed)$/;

function infrastructure(record: Fields): string | undefined {
  const failed = nameAt(record, "_ng_failure_class");
  if (failed !== undefined) return `the attempt failed: ${failed}`;
  const error = at(record, "response", "error") ?? null;
  if (error !== null) return `the response is an error: ${nameAt(error, "message") ?? JSON.stringify(error)}`;
  const broken = nameAt(record, "verifier_error") ?? nameAt(record, "error_kind");
  if (broken !== undefined) return `the environment reports ${broken}`;
  if (booleanAt(record, "evaluation_completed") === false) return "the evaluation was not completed";
  const late = ["eval_timed_out", "container_timed_out"].find((name) => record[name] === true);
  if (late !== undefined) return `the environment reports ${late}`;
  const reason = textAt(record, "failure_reason") ?? "";
  if (brokenGraders.test(reason)) return `the verifier reports ${reason}`;
  const ended = textAt(record, "result", "termination_reason") ?? "";
  if (/infrastructure|unexpected_error/.test(ended)) return `the simulation ended with ${ended}`;
  if (record["mask_sample"] === true || at(record, "instance_config", "mask_sample") === true)
    return "the environment keeps the sample out of training (mask_sample)";
  return numberAt(record, "reward") === undefined ? "the reward is missing, null or NaN" : undefined;
}

/** Verifiers whose reward follows from the flag: swebench, litmus_agent, code_fim, text_to_sql, math_with_code, circle_click. */
const flags = ["resolved", "correct", "passed", "judge_passed", "accuracy", "hit"];

function verdictIn(record: Fields): Verdict {
  const broken = infrastructure(record);
  if (broken !== undefined) return unknown(broken);
  for (const flag of flags) {
    const value = booleanAt(record, flag);
    if (value !== undefined) return verdictOf(value);
  }
  const instance = nameAt(record, "instance_id") ?? "";
  const resolved = booleanAt(record, "metadata", "eval_report", instance, "resolved");
  if (resolved !== undefined) return verdictOf(resolved);
  // tau2-bench src/tau2/metrics/agent_metrics.py is_successful: a reward of 1, give or take 1e-6.
  const simulated = numberAt(record, "result", "reward_info", "reward");
  if (simulated !== undefined) return verdictOf(Math.abs(simulated - 1) <= 1e-6);
  return noVerdict("the environment writes a reward, not a verdict");
}

const measuresTime = /(^|_)time(_s|_taken)?$/;
const settings = [
  "reward",
  "seed",
  "verbose_logs",
  "audio_debug",
  "audio_taps",
  "auto_review",
  "use_box_format",
];

/** Numbers and flags that the verifier adds to the row, which is what NeMo Gym profiles, too. */
function components(record: Fields): Record<string, number> {
  const found: Record<string, number> = {
    ...numbersIn(at(record, "result", "reward_info", "reward_breakdown")),
  };
  for (const [name, value] of Object.entries(record)) {
    if (name.startsWith("_ng_") || settings.includes(name) || measuresTime.test(name)) continue;
    if (typeof value === "boolean") found[name] = value ? 1 : 0;
    else if (typeof value === "number" && Number.isFinite(value)) found[name] = value;
  }
  return found;
}

function stopReason(record: Fields): string | null {
  const said =
    nameAt(record, "response", "incomplete_details", "reason") ??
    nameAt(record, "result", "termination_reason");
  if (said !== undefined) return said;
  const ended = ["agent_timed_out", "truncated", "terminated"].find((name) => record[name] === true);
  if (ended !== undefined) return ended;
  // Null stands there too where nobody looked; only this word says that the response is whole.
  return nameAt(record, "response", "status") === "completed" ? "completed" : null;
}

/** Agents without a count of their own leave a usage of zeros. */
function tokensOf(record: Fields): number | null {
  const output = countAt(record, "response", "usage", "output_tokens");
  if (output !== undefined && countAt(record, "response", "usage", "total_tokens") !== 0) return output;
  const counted = (listAt(record, "response", "output") ?? []).map(
    (item) => listAt(item, "generation_token_ids")?.length ?? 0,
  );
  const sum = counted.reduce((a, b) => a + b, 0);
  return sum === 0 ? null : sum;
}

function timesOf(record: Fields): Pick<RolloutDraft, "started_at" | "duration_ms"> {
  const seconds = numberAt(record, "agent_run_time") ?? numberAt(record, "result", "duration");
  const start = nameAt(record, "result", "start_time");
  return {
    started_at: start !== undefined && Number.isFinite(Date.parse(start)) ? start : null,
    duration_ms: seconds === undefined ? null : seconds * 1000,
  };
}

/** The simulation of tau2 holds the conversation and the policy's text a second time. */
function extra(record: Fields, request: Fields): Record<string, unknown> {
  const signals = Object.keys(components(record));
  const result = fieldsAt(record, "result");
  const asked = fieldsAt(request, "metadata");
  const config = fieldsAt(record, "config");
  return {
    ...kept(
      without(
        record,
        ...signals,
        "responses_create_params",
        "response",
        "reward",
        "seed",
        "result",
        "_ng_task_index",
        "_ng_rollout_index",
      ),
    ),
    // Arguments of the models can hold keys of their providers.
    ...(config === undefined ? {} : { config: kept(without(config, "llm_args_agent", "llm_args_user")) }),
    ...(result === undefined ? {} : { result: kept(without(result, "messages", "policy")) }),
    ...(asked === undefined ? {} : { request: kept(without(asked, "instance_dict")) }),
    ...kept({
      temperature: request["temperature"],
      max_output_tokens: request["max_output_tokens"],
      response_id: nameAt(record, "response", "id"),
    }),
  };
}
