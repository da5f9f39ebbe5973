import { dirname, join } from "node:path";
import type { Turn } from "../../../../../shared/model/rollout.ts";
import {
  noVerdict,
  Refusal,
  unknown,
  verdictOf,
  type FileAdapter,
  type ForeignFile,
  type RolloutDraft,
  type Verdict,
} from "../parts/adapter.ts";
import { chatTurns, contentText } from "../chat/chat.ts";
import { kept } from "../parts/kept.ts";
import {
  at,
  booleanAt,
  countAt,
  idAt,
  isFields,
  listAt,
  nameAt,
  numberAt,
  numbersIn,
  type Fields,
} from "../parts/untrusted.ts";

/** Episodes that rLLM logs, `episodes/<mode>_step_<n>_epoch_<e>/episode_hash<hash>_id<id>.json`: a rollout per trajectory. */
export const rllm: FileAdapter = {
  name: "rllm",
  title: "rLLM episode",
  note: {
    writer: "rLLM, episode logger",
    files: "`episodes/<mode>_step_<n>_epoch_<e>/episode_*.json`",
    verdict: "`is_correct` of episodes with one trajectory",
  },
  source: "rllm@9beb6e0f rllm/utils/episode_logger.py log_episode; rllm/types.py Episode, Trajectory, Step",
  provides: "rollouts",
  unit: "file",
  detect: async (file) => {
    if (!file.name.endsWith(".json") || !file.head.includes('"episode_id"')) return false;
    const document = await file.document();
    return (
      countAt(document, "training_step") !== undefined &&
      listAt(document, "trajectories") !== undefined &&
      booleanAt(document, "is_correct") !== undefined
    );
  },
  runOf: (file) =>
    placeOf(file) === undefined
      ? { name: file.folders[0] ?? file.name, path: dirname(file.path) }
      : { name: file.folders[2] ?? "run", path: join(dirname(file.path), "../..") },
  splitOf: (file) => (placeOf(file)?.mode === "val" ? "selection" : "train"),
  read: async function* (file) {
    const episode = await file.document();
    const trajectories = listAt(episode, "trajectories");
    if (!isFields(episode) || trajectories === undefined)
      throw new Refusal(`${file.path} is not an episode: it has no list of trajectories`);
    if (trajectories.length === 0) yield { record: 1, drafts: [withoutTrajectory(episode)] };
    for (const [i, trajectory] of trajectories.entries())
      yield isFields(trajectory)
        ? { record: i + 1, drafts: [rolloutOf(trajectory, episode, trajectories.length)] }
        : { record: i + 1, problem: `trajectory ${i} must be an object` };
  },
  absent: {
    tokens: "token ids are not logged",
    logprob_mean: "log-probabilities are not logged",
    policy: "the model is only in the configuration of the run",
    harness: "commits are not logged",
    seed: "seeds are only in the configuration of the run",
    "turns.tokens": "token ids are not logged",
    "turns.ms": "time is measured per step of the workflow",
    "turns.ok": "answers of tools do not say whether a call failed",
  },
  inferred: {
    item: "the hash of the task",
    group: "the task within a step, and the trajectory's name if an episode has several",
    turns: "messages of all steps; if a step repeats messages of the one before, they appear once",
    outcome: "is_correct if the episode has one trajectory",
  },
};

function placeOf(file: ForeignFile): { readonly mode: string } | undefined {
  const [, mode] = /^([a-z]+)_step_\d+_epoch_\d+$/.exec(file.folders[0] ?? "") ?? [];
  return mode === undefined ? undefined : { mode };
}

/** An episode is named `<task>:<rollout>`. */
function origin(episode: Fields): Partial<RolloutDraft> {
  const [, task, rollout] = /^(.+):(\d+)$/.exec(nameAt(episode, "episode_id") ?? "") ?? [];
  const item = nameAt(episode, "task_hash") ?? null;
  const step = countAt(episode, "training_step") ?? 0;
  const group = task ?? item;
  return {
    item,
    step,
    group: group === null ? null : `${step}/${group}`,
    sample: rollout === undefined ? null : Number(rollout),
    stop_reason: nameAt(episode, "termination_reason") ?? null,
  };
}

/** The same task is rolled out again in later steps. */
function episodeId(episode: Fields): string | null {
  const id = idAt(episode, "episode_id");
  return id === undefined
    ? null
    : `${countAt(episode, "training_step") ?? 0}/${countAt(episode, "epoch") ?? 0}/${id}`;
}

function withoutTrajectory(episode: Fields): RolloutDraft {
  const broken = infrastructure(episode);
  return {
    type: "rollout",
    id: episodeId(episode),
    ...origin(episode),
    verdict: unknown(broken ?? "the episode has no trajectory"),
    components: numbersIn(episode["metrics"]),
    turns: [],
    extra: extra(episode, {}),
  };
}

function rolloutOf(trajectory: Fields, episode: Fields, of: number): RolloutDraft {
  const place = origin(episode);
  const name = nameAt(trajectory, "name");
  const several = of > 1 && name !== undefined;
  return {
    type: "rollout",
    id: nameAt(trajectory, "uid") ?? (of > 1 ? null : episodeId(episode)),
    ...place,
    ...(several && typeof place.group === "string" ? { group: `${place.group}/${name}` } : {}),
    // Several trajectories of one name in one episode are numbered by the import.
    ...(of > 1 ? { sample: null } : {}),
    verdict: verdictIn(trajectory, episode, of),
    reward: numberAt(trajectory, "reward") ?? null,
    components: numbersIn(episode["metrics"]),
    turns: turnsOf(trajectory),
    ...timesOf(trajectory["timing"]),
    extra: extra(episode, trajectory),
  };
}

/** Workflows with the timing mixin (rllm/workflows/timing_mixin.py) measure themselves. */
function timesOf(timing: unknown): Pick<RolloutDraft, "started_at" | "duration_ms"> {
  const total = numberAt(timing, "total_time");
  return {
    started_at: nameAt(timing, "start_timestamp") ?? null,
    duration_ms: total === undefined ? null : total * 1000,
  };
}

function infrastructure(episode: Fields): string | undefined {
  const ended = nameAt(episode, "termination_reason");
  return ended === "error" || ended === "timeout" ? `the episode ended with ${ended}` : undefined;
}

function verdictIn(trajectory: Fields, episode: Fields, of: number): Verdict {
  const broken = infrastructure(episode);
  if (broken !== undefined) return unknown(broken);
  const correct = booleanAt(episode, "is_correct");
  if (correct === undefined) return noVerdict("the episode does not say whether it is correct");
  if (of > 1) return noVerdict(`is_correct speaks of the whole episode, which has ${of} trajectories`);
  if ((listAt(trajectory, "steps") ?? []).length === 0) return unknown("the trajectory has no steps");
  return verdictOf(correct);
}

function turnsOf(trajectory: Fields): Turn[] {
  const messages: unknown[] = [];
  let before: readonly unknown[] = [];
  for (const step of listAt(trajectory, "steps") ?? []) {
    const chat = listAt(step, "chat_completions") ?? [];
    if (chat.length === 0) {
      messages.push(...spoken(step));
      continue;
    }
    messages.push(...chat.slice(sharedStart(before, chat)));
    before = chat;
  }
  return chatTurns(messages);
}

/** A step without its messages: what it saw, and what the policy answered. */
function spoken(step: unknown): unknown[] {
  const observation = at(step, "observation") ?? null;
  const said = nameAt(step, "model_response") ?? contentText(at(step, "action"));
  const thought = nameAt(step, "thought");
  return [
    ...(observation === null || observation === ""
      ? []
      : [{ role: "user", content: contentText(observation) }]),
    { role: "assistant", content: said, ...(thought === undefined ? {} : { reasoning: thought }) },
  ];
}

function sharedStart(before: readonly unknown[], now: readonly unknown[]): number {
  let n = 0;
  while (n < before.length && n < now.length && JSON.stringify(before[n]) === JSON.stringify(now[n])) n++;
  return n;
}

function extra(episode: Fields, trajectory: Fields): Record<string, unknown> {
  const rewards = (listAt(trajectory, "steps") ?? []).map((step) => numberAt(step, "reward") ?? null);
  return kept({
    episode: idAt(episode, "episode_id"),
    epoch: countAt(episode, "epoch"),
    is_correct: booleanAt(episode, "is_correct"),
    trajectory: nameAt(trajectory, "name"),
    task: episode["task"],
    metadata: episode["metadata"],
    timing: trajectory["timing"],
    ...(rewards.some((reward) => reward !== null && reward !== 0) ? { step_rewards: rewards } : {}),
  });
}
