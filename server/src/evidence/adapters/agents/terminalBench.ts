import { dirname } from "node:path";
import type { Turn } from "../../../../../shared/model/rollout.ts";
import {
  fail,
  noVerdict,
  pass,
  Refusal,
  unknown,
  type Entry,
  type FileAdapter,
  type ForeignFile,
  type RolloutDraft,
  type Verdict,
} from "../parts/adapter.ts";
import { isBeside, namesBeside, textBeside } from "../parts/beside.ts";
import { assistantTurns, type Call } from "../chat/chat.ts";
import { millisBetween } from "../parts/times.ts";
import {
  at,
  countAt,
  fieldsAt,
  isFields,
  listAt,
  nameAt,
  numberAt,
  textAt,
  type Fields,
} from "../parts/untrusted.ts";

/**
 * Trials of Terminal-Bench 1: `<run>/<task>/<trial>/results.json`, and `<run>/results.json` for the trials of a run whose
 * own files are not there. What the agent did comes from the logs of Terminus, where it was the agent.
 */
export const terminalBench: FileAdapter = {
  name: "terminal-bench",
  title: "Terminal-Bench results",
  note: {
    writer: "Terminal-Bench 1",
    files: "`results.json`",
    verdict: "`is_resolved`",
  },
  source:
    "terminal-bench 0.2 terminal_bench/harness/models.py TrialResults, BenchmarkResults; agents/failure_mode.py",
  provides: "rollouts",
  unit: "file",
  detect: async (file) => {
    if (!/results?\.json$/.test(file.name)) return false;
    const document = await file.document();
    if (isTrial(document)) return true;
    const trials = listAt(document, "results") ?? [];
    if (trials.length === 0 || !trials.every(isTrial)) return false;
    for (const trial of trials) if (!(await hasOwnFile(file, trial))) return true;
    return false;
  },
  runOf: (file) =>
    inOwnFolder(file)
      ? { name: file.folders[2] ?? file.name, path: dirname(dirname(dirname(file.path))) }
      : { name: file.folders[0] ?? file.name, path: dirname(file.path) },
  companions: (file) => {
    const root = inOwnFolder(file) ? "../.." : ".";
    const trial = ["agent-logs/*/*", "panes/*", "sessions/*", "commands.txt"];
    return [
      ...["results.json", "run_metadata.json", "run.log", "tb.lock"].map((name) => `${root}/${name}`),
      ...trial.map((path) => `${root}/*/*/${path}`),
    ];
  },
  read: async function* (file): AsyncGenerator<Entry> {
    const document = await file.document();
    if (isTrial(document)) {
      const metadata =
        (await file.beside("../../run_metadata.json")) ?? (await file.beside("run_metadata.json"));
      yield { record: 1, drafts: [await rolloutOf(file, document, ".", metadata)] };
      return;
    }
    const trials = listAt(document, "results");
    if (trials === undefined) throw new Refusal("results must be a list of trials");
    const metadata = await file.beside("run_metadata.json");
    for (const [i, trial] of trials.entries()) {
      const record = i + 1;
      if (!isTrial(trial)) yield { record, problem: `results[${i}] must have a trial_name and a task_id` };
      else if (!(await hasOwnFile(file, trial)))
        yield { record, drafts: [await rolloutOf(file, trial, folderOf(trial) ?? ".", metadata)] };
    }
  },
  absent: {
    step: "trials are evaluations, not training steps",
    reward: "a trial is resolved or not",
    logprob_mean: "not recorded",
    seed: "not recorded",
    "turns.ok": "the terminal answers with its screen",
    "turns.tokens": "counted for the whole trial only",
    "turns.ms": "not recorded",
  },
  inferred: {
    sample: "the attempt in the name of the trial",
    turns: "from the logs of Terminus; other agents leave the instruction alone",
    duration_ms: "time of the agent, without setup and tests",
  },
};

/** Whether it is the result of one trial in its place, `{run}/{task}/{trial}`. */
const inOwnFolder = ({ folders: [trial = "", task, run] }: ForeignFile): boolean =>
  task !== undefined && run !== undefined && trial.startsWith(`${task}.`);

const isTrial = (value: unknown): value is Fields =>
  nameAt(value, "trial_name") !== undefined &&
  nameAt(value, "task_id") !== undefined &&
  isFields(value) &&
  "is_resolved" in value;

/** The folder of a trial inside its run; undefined for names that would lead elsewhere. */
function folderOf(trial: unknown): string | undefined {
  const names = [nameAt(trial, "task_id") ?? "", nameAt(trial, "trial_name") ?? ""];
  return names.every((name) => /^[^/\\\0]+$/.test(name) && name !== ".." && name !== ".")
    ? names.join("/")
    : undefined;
}

async function hasOwnFile(file: ForeignFile, trial: unknown): Promise<boolean> {
  const folder = folderOf(trial);
  return folder !== undefined && (await isBeside(file, `${folder}/results.json`));
}

async function rolloutOf(
  file: ForeignFile,
  trial: Fields,
  folder: string,
  metadata: unknown,
): Promise<RolloutDraft> {
  const name = nameAt(trial, "trial_name") ?? "";
  const [, attempt] = /\.(\d+)-of-\d+\./.exec(name) ?? [];
  const tests = fieldsAt(trial, "parser_results");
  const [start, end] = [textAt(trial, "agent_started_at"), textAt(trial, "agent_ended_at")];
  const commit = nameAt(metadata, "commit_hash");
  const tokens = countAt(trial, "total_output_tokens");
  return {
    type: "rollout",
    id: name,
    item: nameAt(trial, "task_id") ?? null,
    sample: attempt === undefined ? null : Math.max(0, Number(attempt) - 1),
    verdict: verdictOf(trial, tests),
    components: componentsOf(trial, tests),
    turns: await turnsOf(file, trial, folder),
    stop_reason: nameAt(trial, "failure_mode") ?? null,
    // Agents that do not count write 0.
    tokens: tokens === 0 ? null : (tokens ?? null),
    policy: nameAt(metadata, "model_name") ?? null,
    harness: commit === "unknown" ? null : (commit ?? null),
    started_at: start ?? nameAt(trial, "trial_started_at") ?? null,
    duration_ms:
      millisBetween(start, end) ??
      millisBetween(textAt(trial, "trial_started_at"), textAt(trial, "trial_ended_at")) ??
      null,
    extra: extraOf(trial, tests, metadata),
  };
}

/** Ways of failing that are the agent's own. After each but the first two the tests are run all the same. */
const ownFailures = new Set([
  "none",
  "unset",
  "agent_timeout",
  "context_length_exceeded",
  "output_length_exceeded",
  "fatal_llm_parse_error",
]);
const brokenTrials: Readonly<Record<string, string>> = {
  agent_installation_failed: "the agent could not be installed",
  parse_error: "the output of the tests could not be read",
  test_timeout: "the tests did not finish",
  unknown: "the harness does not say why",
  unknown_agent_error: "the agent's program failed",
};

function verdictOf(trial: Fields, tests: Fields | undefined): Verdict {
  const resolved = at(trial, "is_resolved");
  const mode = textAt(trial, "failure_mode") ?? "unset";
  const broken = Object.hasOwn(brokenTrials, mode) ? brokenTrials[mode] : undefined;
  if (resolved === true)
    return tests !== undefined && Object.keys(tests).length === 0
      ? unknown("is_resolved is true, but no test ran: the output of the tests had no result")
      : pass;
  if (broken !== undefined) return unknown(`failure_mode is ${mode}: ${broken}`);
  if (!ownFailures.has(mode)) return unknown(`failure_mode is ${mode}, which is not a known way to fail`);
  if (resolved === false) return fail;
  return mode === "unset" || mode === "none"
    ? unknown("is_resolved is null: the trial ended before its tests")
    : noVerdict(`is_resolved is null after ${mode}`);
}

function componentsOf(trial: Fields, tests: Fields | undefined): Record<string, number> {
  const rate = numberAt(trial, "pass_rate");
  const components: Record<string, number> = rate === undefined ? {} : { pass_rate: rate };
  if (typeof trial["is_resolved"] === "boolean") components["is_resolved"] = trial["is_resolved"] ? 1 : 0;
  if (tests === undefined) return components;
  const results = Object.values(tests);
  components["tests.passed"] = results.filter((result) => result === "passed").length;
  components["tests.failed"] = results.filter((result) => result === "failed").length;
  return components;
}

function extraOf(trial: Fields, tests: Fields | undefined, metadata: unknown): Record<string, unknown> {
  const failed = Object.entries(tests ?? {}).flatMap(([test, result]) => (result === "passed" ? [] : [test]));
  const settings = ["agent_name", "dataset_name", "dataset_version"];
  const kept = [
    "recording_path",
    "total_input_tokens",
    "trial_started_at",
    "trial_ended_at",
    "test_started_at",
    "test_ended_at",
  ];
  return {
    ...some(trial, kept),
    ...(failed.length === 0 ? {} : { failed_tests: failed }),
    ...(isFields(metadata) ? some(metadata, settings) : {}),
  };
}

const some = (fields: Fields, keys: readonly string[]): Record<string, unknown> =>
  Object.fromEntries(Object.entries(fields).filter(([key, value]) => keys.includes(key) && value !== null));

/** Each episode of Terminus: what it was shown, which is the screen after the first, and what it answered. */
async function turnsOf(file: ForeignFile, trial: Fields, folder: string): Promise<Turn[]> {
  const logs = `${folder}/agent-logs`;
  const episodes = (await namesBeside(file, logs))
    .map((name) => ({ name, number: Number(/^episode-(\d+)$/.exec(name)?.[1] ?? NaN) }))
    .filter(({ number }) => !Number.isNaN(number))
    .sort((a, b) => a.number - b.number);
  const turns: Turn[] = [];
  for (const { name } of episodes) {
    const prompt = await textBeside(file, `${logs}/${name}/prompt.txt`);
    const answer =
      (await textBeside(file, `${logs}/${name}/response.txt`)) ??
      (await textBeside(file, `${logs}/${name}/response.json`));
    if (prompt !== undefined) turns.push({ role: turns.length === 0 ? "user" : "tool", text: prompt });
    if (answer !== undefined) turns.push(...assistantTurns(answer, callsIn(answer)));
  }
  const instruction = textAt(trial, "instruction");
  return turns.length === 0 && instruction !== undefined ? [{ role: "user", text: instruction }] : turns;
}

/** The keystrokes of an answer, which is JSON, sometimes with words around it. */
function callsIn(answer: string): Call[] {
  try {
    const parsed: unknown = JSON.parse(answer.slice(answer.indexOf("{"), answer.lastIndexOf("}") + 1));
    return (listAt(parsed, "commands") ?? []).filter(isFields).map((args) => ({ tool: "terminal", args }));
  } catch {
    return [];
  }
}
