import { dirname, join } from "node:path";
import {
  noVerdict,
  Refusal,
  unknown,
  type ForeignFile,
  type LineAdapter,
  type RolloutDraft,
  type RunPlace,
  type Verdict,
} from "../parts/adapter.ts";
import { mainBranch, messageTree, otherBranches, type MessageTree } from "../chat/messageTree.ts";
import { isoOf } from "../parts/times.ts";
import {
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
 * `traces.jsonl` of verifiers v1, and of prime-rl in `rollouts/step_<n>/<train|eval>/<all|effective>/`: an episode per line.
 * Each of its traces is a rollout. A trace is a tree of messages; its rollout shows the final branch, which is what the
 * format itself calls the trace's messages, and keeps what the other branches say in `extra.branches`.
 */
export const verifiersV1: LineAdapter = {
  name: "verifiers-v1",
  title: "verifiers v1 episode",
  note: {
    writer: "verifiers v1, prime-rl",
    files: "`traces.jsonl`",
    verdict: "none: `--pass-when`",
  },
  source:
    "verifiers@a60a606e verifiers/v1/{episode,trace,graph}.py; prime-rl@559b4477 src/prime_rl/monitors/file.py:43",
  provides: "rollouts",
  unit: "line",
  detect: async (file) => {
    const first = await file.firstRecord();
    if (!isFields(first) || fieldsAt(first, "task") === undefined) return false;
    return (listAt(first, "traces") !== undefined && fieldsAt(first, "env") !== undefined) || isTrace(first);
  },
  runOf,
  splitOf: (file) => (placeOf(file)?.kind === "train" ? "train" : "selection"),
  convert: (record, { file }) => {
    if (!isFields(record)) throw new Refusal("an episode must be an object");
    if (isTrace(record)) return [rolloutOf(record, {}, file)];
    const traces = listAt(record, "traces");
    if (traces === undefined) throw new Refusal("traces must be a list");
    if (traces.length === 0) return [withoutTrace(record, file)];
    return traces.map((trace, i) => {
      if (!isFields(trace)) throw new Refusal(`trace ${i} must be an object`);
      return rolloutOf(trace, record, file);
    });
  },
  absent: {
    seed: "an episode does not record the seed that it was sampled with",
    "turns.ok": "answers of tools do not say whether the call failed",
  },
  inferred: {
    turns: "the final branch of the message tree; what other branches say is in extra.branches",
    reward: "sum of score times weight over the rewards that were given, as in Trace.reward",
    group: "the group of the episode, or its task, and for named agents the agent",
    tokens:
      "completion tokens of all model calls of the trace; without usage, tokens that the mask marks as sampled",
    duration_ms: "from the start to the end of the last phase",
  },
};

/** Versions before episodes wrote one trace per line. */
const isTrace = (record: Fields): boolean =>
  listAt(record, "nodes") !== undefined && fieldsAt(record, "rewards") !== undefined;

interface Place {
  readonly step: number;
  readonly kind: string;
  readonly subset: string;
}

function placeOf({ folders }: ForeignFile): Place | undefined {
  const [subset = "", kind = "", step = "", rollouts] = folders;
  const [, n] = /^step_(\d+)$/.exec(step) ?? [];
  return n === undefined || rollouts !== "rollouts" ? undefined : { step: Number(n), kind, subset };
}

/** The episodes that training used are in `all` as well: `effective` is a run beside the run. */
function runOf(file: ForeignFile): RunPlace {
  const place = placeOf(file);
  const folder = dirname(file.path);
  if (place === undefined) return { name: file.folders[0] ?? file.name, path: folder };
  const [root, name] = [join(folder, "../../../.."), file.folders[4] ?? "run"];
  return place.subset === "effective"
    ? { name: `${name}.effective`, path: join(root, "rollouts", "effective") }
    : { name, path: root };
}

function rolloutOf(trace: Fields, episode: Fields, file: ForeignFile): RolloutDraft {
  const tree = messageTree(trace);
  const main = mainBranch(tree);
  return {
    type: "rollout",
    id: idAt(trace, "id") ?? null,
    ...origin(trace, episode, file),
    verdict: verdictOf(trace, episode),
    reward: rewardOf(trace),
    components: { ...numbersIn(trace["metrics"]), ...scores(trace) },
    stop_reason: nameAt(trace, "stop_condition") ?? null,
    turns: main.turns,
    tokens: tree.tokens,
    logprob_mean: tree.logprobMean,
    policy: tree.model ?? nameAt(trace, "agent", "config", "model") ?? null,
    harness: nameAt(trace, "verifiers", "commit") ?? null,
    ...timesOf(trace),
    extra: { ...extra(trace, episode, tree), ...main.perToken },
  };
}

/** Where the rollout stands in its run. */
function origin(trace: Fields, episode: Fields, file: ForeignFile): Partial<RolloutDraft> {
  const task = fieldsAt(trace, "task") ?? fieldsAt(episode, "task");
  const item = nameAt(task, "key") ?? nameAt(task, "hash") ?? nameAt(task, "data", "name") ?? null;
  const agent = nameAt(trace, "agent", "name");
  const shared = idAt(episode, "group", "id") ?? item;
  const group = agent === undefined || agent === "agent" || shared === null ? shared : `${shared}/${agent}`;
  const work = nameAt(episode, "run", "work", "type") ?? nameAt(episode, "run", "type");
  return {
    item,
    group,
    step: countAt(episode, "run", "work", "step") ?? placeOf(file)?.step ?? null,
    ...(work === undefined ? {} : { split: work === "train" ? "train" : "selection" }),
  };
}

/** An episode that failed before any agent spoke is a rollout that nobody can judge, not one that never was. */
function withoutTrace(episode: Fields, file: ForeignFile): RolloutDraft {
  const said = lastError(episode);
  const prompt = textAt(episode, "task", "data", "prompt");
  return {
    type: "rollout",
    id: idAt(episode, "id") ?? null,
    ...origin({}, episode, file),
    verdict: unknown(said === undefined ? "the episode has no trace" : `the episode has no trace: ${said}`),
    turns: prompt === undefined ? [] : [{ role: "user", text: prompt }],
    extra: { ...episodeExtra(episode) },
  };
}

/** Errors of attempts that were repeated stay in the list of a trace that is well, so that `ok` decides. */
function verdictOf(trace: Fields, episode: Fields): Verdict {
  if (booleanAt(trace, "ok") !== true)
    return unknown(
      `the trace failed: ${lastError(trace) ?? nameAt(trace, "stop_condition") ?? "it is not ok"}`,
    );
  if (booleanAt(episode, "ok") === false)
    return unknown(`the episode failed: ${lastError(episode) ?? "it is not ok"}`);
  const unscored = Object.entries(fieldsAt(trace, "rewards") ?? {}).find(([, value]) => value === null);
  if (unscored !== undefined) return unknown(`the reward ${unscored[0]} was not scored`);
  return noVerdict("verifiers v1 writes weighted rewards, not a verdict");
}

function lastError(of: Fields): string | undefined {
  const last = (listAt(of, "errors") ?? []).at(-1);
  const said = [nameAt(last, "type"), nameAt(last, "message")].filter(Boolean).join(": ");
  return said === "" ? undefined : said;
}

function scores(trace: Fields): Record<string, number> {
  const found: Record<string, number> = {};
  for (const [name, reward] of Object.entries(fieldsAt(trace, "rewards") ?? {})) {
    const score = numberAt(reward, "score");
    if (score !== undefined) found[name] = score;
  }
  return found;
}

function rewardOf(trace: Fields): number | null {
  const values = Object.values(fieldsAt(trace, "rewards") ?? {}).flatMap((reward) => {
    const score = numberAt(reward, "score");
    return score === undefined ? [] : [score * (numberAt(reward, "weight") ?? 1)];
  });
  return values.length === 0 ? null : values.reduce((sum, value) => sum + value, 0);
}

const phases = ["boot", "setup", "agent", "finalize", "scoring"] as const;

function timesOf(trace: Fields): Pick<RolloutDraft, "started_at" | "duration_ms"> {
  const start = numberAt(trace, "timing", "start");
  const ends = phases.map((phase) => numberAt(trace, "timing", phase, "end") ?? 0);
  const end = Math.max(...ends);
  return {
    started_at: isoOf(start),
    duration_ms: start === undefined || end < start ? null : (end - start) * 1000,
  };
}

function extra(trace: Fields, episode: Fields, tree: MessageTree): Record<string, unknown> {
  const branches = otherBranches(tree);
  const sideBranches = Math.max(0, tree.leaves.length - 1);
  const weights = Object.entries(fieldsAt(trace, "rewards") ?? {}).flatMap(([name, reward]) => {
    const weight = numberAt(reward, "weight");
    return weight === undefined || weight === 1 ? [] : [[name, weight] as const];
  });
  const seconds = phases.flatMap((phase) => {
    const [start, end] = [numberAt(trace, "timing", phase, "start"), numberAt(trace, "timing", phase, "end")];
    return start === undefined || end === undefined || end === 0 ? [] : [[phase, end - start] as const];
  });
  const info = fieldsAt(trace, "info");
  return {
    ...episodeExtra(episode),
    ...some("agent", nameAt(trace, "agent", "name")),
    ...some("trainable", booleanAt(trace, "agent", "trainable")),
    ...some("finish_reason", tree.finishReason),
    ...some("weights", weights.length === 0 ? undefined : Object.fromEntries(weights)),
    ...some("seconds", seconds.length === 0 ? undefined : Object.fromEntries(seconds)),
    ...some("info", info === undefined || Object.keys(info).length === 0 ? undefined : info),
    ...some("trace_errors", errorsOf(trace)),
    ...some("branches", branches.length === 0 ? undefined : branches),
    ...some("branches_left_out", sideBranches > branches.length ? sideBranches - branches.length : undefined),
  };
}

function episodeExtra(episode: Fields): Record<string, unknown> {
  const data = fieldsAt(episode, "task", "data");
  return {
    ...some("episode", idAt(episode, "id")),
    ...some("env", nameAt(episode, "env", "name") ?? nameAt(episode, "env", "id")),
    ...some("run", fieldsAt(episode, "run")),
    ...some("task", data === undefined ? undefined : without(data, "prompt", "system_prompt")),
    ...some("errors", errorsOf(episode)),
  };
}

function errorsOf(of: Fields): unknown[] | undefined {
  const errors = (listAt(of, "errors") ?? []).map((e) => (isFields(e) ? without(e, "traceback") : e));
  return errors.length === 0 ? undefined : errors;
}

const some = (key: string, value: unknown): Record<string, unknown> =>
  value === undefined || value === null ? {} : { [key]: value };
