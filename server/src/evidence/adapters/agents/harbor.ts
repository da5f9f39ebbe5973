import { dirname } from "node:path";
import {
  noVerdict,
  Refusal,
  unknown,
  verdictOf,
  type Entry,
  type FileAdapter,
  type ForeignFile,
  type RolloutDraft,
  type Verdict,
} from "../parts/adapter.ts";
import { isAtif } from "./atifSteps.ts";
import { readTrajectory, type AtifRollout } from "./atifTrajectory.ts";
import { extraOf } from "../parts/clip.ts";
import { isTrial } from "./harborTrial.ts";
import { meanOf } from "../parts/means.ts";
import { timeAt } from "../parts/times.ts";
import { tokenValues } from "../parts/tokenValues.ts";
import { infrastructureEnd } from "./tau2Ends.ts";
import { policyTokens, tau2Turns } from "./tau2Turns.ts";
import { millisBetween } from "../parts/times.ts";
import {
  booleanAt,
  countAt,
  fieldsAt,
  isFields,
  listAt,
  nameAt,
  numberAt,
  numbersIn,
  type Fields,
} from "../parts/untrusted.ts";

/** Results of Harbor trials, `{job}/{trial}/result.json`, with what the agent left in `agent/` beside them. */
export const harbor: FileAdapter = {
  name: "harbor",
  title: "Harbor trial result",
  note: {
    writer: "Harbor",
    files: "`<job>/<trial>/result.json`",
    verdict: "a single reward of 0 or 1; else `--pass-when`",
  },
  source:
    "harbor@75398cf4 src/harbor/models/trial/result.py:69 TrialResult, src/harbor/utils/pass_at_k.py:32",
  provides: "rollouts",
  unit: "file",
  detect: async (file) => /^results?\.json$/.test(file.name) && isTrial(await file.document()),
  runOf: (file) =>
    file.folders[1] === undefined
      ? { name: file.folders[0] ?? "trials", path: dirname(file.path) }
      : { name: file.folders[1], path: dirname(dirname(file.path)) },
  companions: () => [
    ...["config.json", "result.json", "lock.json", "job.log"].map((name) => `../${name}`),
    ...["config.json", "trial.log", "exception.txt"].map((name) => `../*/${name}`),
    ...["", "steps/*/"].flatMap((step) => [`../*/${step}agent/*`, `../*/${step}verifier/*`]),
  ],
  splitOf: () => "selection",
  read: readTrial,
  absent: { harness: "a result names the agent and its version, not a commit" },
  inferred: {
    outcome: "a trial with a single reward of 0 or 1 failed or passed, as pass@k of Harbor counts it",
    sample: "order of the files",
    duration_ms: "time of the agent; if that is missing, of the whole trial",
    stop_reason:
      "the type of the exception, if there was one; how a conversation with a simulated user ended",
    turns: "the agent's trajectory beside the result",
  },
};

async function* readTrial(file: ForeignFile): AsyncGenerator<Entry> {
  const trial = await file.document();
  if (!isTrial(trial))
    throw new Refusal("a trial needs trial_name, task_name, agent_info and verifier_result");
  const trajectories = await trajectoriesOf(file, trial);
  yield { record: 1, drafts: [draftOf(trial, trajectories)] };
}

function draftOf(trial: Fields, trajectories: readonly Trajectory[]): RolloutDraft {
  const rewards = numbersIn(fieldsAt(trial, "verifier_result", "rewards"));
  const [first] = trajectories;
  const logprobs = trajectories.length === 1 ? first?.logprobs : undefined;
  const simulated = trajectories.find(({ conversation }) => conversation !== undefined)?.conversation;
  return {
    type: "rollout",
    id: nameAt(trial, "trial_name") ?? null,
    item: nameAt(trial, "task_name") ?? null,
    verdict: simulated?.verdict ?? verdict(trial),
    reward: rewardOf(rewards),
    components: rewards,
    turns: trajectories.flatMap(({ turns }) => turns),
    stop_reason: exceptionOf(trial)?.type ?? simulated?.end ?? null,
    // The agent's result counts the user that is simulated as well.
    tokens: (simulated === undefined ? tokensOf(trial) : null) ?? sumOf(trajectories.map((t) => t.tokens)),
    logprob_mean: meanOf(logprobs ?? []),
    policy: modelOf(trial) ?? first?.model ?? null,
    seed: numberAt(trial, "config", "agent", "kwargs", "seed") ?? null,
    ...timesOf(trial),
    extra: { ...extraFields(trial, trajectories), ...tokenValues({ token_logprobs: logprobs }) },
  };
}

/** Harbor's own name of the reward, or the only one. */
function rewardOf(rewards: Readonly<Record<string, number>>): number | null {
  const [first, ...others] = Object.values(rewards);
  return rewards["reward"] ?? (others.length === 0 ? (first ?? null) : null);
}

function timesOf(trial: Fields): Pick<RolloutDraft, "started_at" | "duration_ms"> {
  const phase = fieldsAt(trial, "agent_execution") ?? trial;
  const [from, to] = [timeAt(phase, "started_at"), timeAt(phase, "finished_at")];
  return {
    started_at: from ?? timeAt(trial, "started_at") ?? null,
    duration_ms: millisBetween(from, to) ?? null,
  };
}

/** Harbor runs the verifier after these all the same, so that what it finds is a verdict on the agent. */
const agentExceptions: readonly string[] = ["AgentTimeoutError", "NonZeroAgentExitCodeError"];

function verdict(trial: Fields): Verdict {
  const rewards = fieldsAt(trial, "verifier_result", "rewards");
  const exception = exceptionOf(trial);
  if (exception !== undefined && (rewards === undefined || !agentExceptions.includes(exception.type)))
    return unknown(`the trial ended in ${exception.type}: ${exception.message.slice(0, 300)}`);
  if (rewards === undefined)
    return booleanAt(trial, "config", "verifier", "disable") === true
      ? noVerdict("the verifier of the trial was disabled")
      : unknown("the verifier left no rewards");
  const values = Object.values(rewards);
  const [reward] = values;
  if (values.length === 1 && (reward === 1 || reward === 0)) return verdictOf(reward === 1);
  return noVerdict(
    `Harbor counts a trial as a success by a single reward of 0 or 1, and this one has ${JSON.stringify(rewards).slice(0, 120)}`,
  );
}

interface Exception {
  readonly type: string;
  readonly message: string;
}

/** The exception of the trial, or of its first step that had one. */
function exceptionOf(trial: Fields): Exception | undefined {
  const steps = listAt(trial, "step_results") ?? [];
  const info = [trial, ...steps].map((part) => fieldsAt(part, "exception_info")).find((e) => e !== undefined);
  return info === undefined
    ? undefined
    : {
        type: nameAt(info, "exception_type") ?? "an exception",
        message: nameAt(info, "exception_message") ?? "",
      };
}

/** Trials of several steps have one result of the agent per step. */
function tokensOf(trial: Fields): number | null {
  const whole = fieldsAt(trial, "agent_result");
  const results = whole === undefined ? (listAt(trial, "step_results") ?? []) : [trial];
  return sumOf(results.map((part) => countAt(part, "agent_result", "n_output_tokens") ?? null));
}

const sumOf = (counts: readonly (number | null)[]): number | null =>
  counts.length === 0 || counts.includes(null) ? null : counts.reduce((sum: number, n) => sum + (n ?? 0), 0);

function modelOf(trial: Fields): string | undefined {
  const [name, provider] = [
    nameAt(trial, "agent_info", "model_info", "name"),
    nameAt(trial, "agent_info", "model_info", "provider"),
  ];
  return name === undefined || provider === undefined ? name : `${provider}/${name}`;
}

interface Trajectory extends Pick<AtifRollout, "turns" | "tokens" | "logprobs" | "model" | "extra"> {
  /** For a conversation with a simulated user: how it ended, and the verdict on an end that is not the agent's. */
  readonly conversation?: { readonly end: string | undefined; readonly verdict: Verdict | undefined };
}

async function trajectoriesOf(file: ForeignFile, trial: Fields): Promise<Trajectory[]> {
  const names = (listAt(trial, "step_results") ?? []).flatMap((step) => nameAt(step, "step_name") ?? []);
  // A name of a step is part of a path: one that leaves the folder is not followed.
  const steps = names.filter((name) => !/[/\\]|^\.\.?$/.test(name)).map((name) => `steps/${name}/agent`);
  const found: Trajectory[] = [];
  for (const folder of ["agent", ...steps]) {
    const trajectory = await trajectoryIn(file, folder);
    if (trajectory !== undefined) found.push(trajectory);
  }
  return found;
}

async function trajectoryIn(file: ForeignFile, folder: string): Promise<Trajectory | undefined> {
  const document = await file.beside(`${folder}/trajectory.json`);
  if (isAtif(document))
    return readTrajectory(document, async (path) =>
      path !== "trajectory.json" && /^\w[\w. -]*\.json$/.test(path)
        ? file.beside(`${folder}/${path}`)
        : undefined,
    );
  const state = await file.beside(`${folder}/tau3_runtime_state.json`);
  const messages = listAt(state, "messages");
  if (messages === undefined) return undefined;
  const end = nameAt(state, "termination_reason");
  return {
    turns: tau2Turns(messages),
    tokens: policyTokens(messages),
    logprobs: undefined,
    model: nameAt(state, "agent_model") ?? null,
    conversation: { end, verdict: infrastructureEnd(end, state) },
    extra: {},
  };
}

function extraFields(trial: Fields, trajectories: readonly Trajectory[]): Record<string, unknown> {
  const details = trajectories.map(({ extra }) => extraOf(extra));
  return extraOf({
    agent: fieldsAt(trial, "agent_info"),
    source: trial["source"],
    task_checksum: trial["task_checksum"],
    exception: exceptionOf(trial),
    agent_metadata: fieldsAt(trial, "agent_result", "metadata"),
    cost_usd: numberAt(trial, "agent_result", "cost_usd"),
    n_input_tokens: numberAt(trial, "agent_result", "n_input_tokens"),
    environment: nameAt(trial, "config", "environment", "type"),
    step_rewards: (listAt(trial, "step_results") ?? [])
      .filter(isFields)
      .map((step) => ({ step: step["step_name"], rewards: fieldsAt(step, "verifier_result", "rewards") })),
    trajectory: details.length === 1 ? details[0] : details,
  });
}
