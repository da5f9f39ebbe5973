import { dirname, join } from "node:path";
import {
  noVerdict,
  Refusal,
  unknown,
  type ForeignFile,
  type LineAdapter,
  type RunPlace,
} from "../parts/adapter.ts";
import { completionTurns, promptTurns } from "../chat/chatMarkup.ts";
import { at, countAt, idAt, isFields, textAt } from "../parts/untrusted.ts";

/** Trajectories that AReaL dumps, `<trial>/rollout/<version>/<task>.jsonl`, and `eval-rollout` for evaluations. */
export const areal: LineAdapter = {
  name: "areal",
  title: "AReaL trajectory",
  note: { writer: "AReaL", files: "`rollout/<version>/<task>.jsonl`", verdict: "none: `--pass-when`" },
  source: "AReaL@4aef98d8 areal/infra/workflow_executor.py:836-915 _dump_trajectory",
  provides: "rollouts",
  unit: "line",
  signature: ["task_id", "sample_idx", "tail_version", "prompt", "completion"],
  detect: async (file) => {
    const first = await file.firstRecord();
    return (
      idAt(first, "task_id") !== undefined &&
      countAt(first, "sample_idx") !== undefined &&
      countAt(first, "tail_version") !== undefined &&
      textAt(first, "prompt") !== undefined &&
      textAt(first, "completion") !== undefined
    );
  },
  runOf,
  splitOf: (file) => (isEvaluation(file) ? "selection" : "train"),
  convert: (record, { file, line }) => {
    if (!isFields(record)) throw new Refusal("a trajectory must be an object");
    const [prompt, completion] = [textAt(record, "prompt"), textAt(record, "completion")];
    if (prompt === undefined || completion === undefined)
      throw new Refusal("prompt and completion must be strings");
    const reward = at(record, "reward") ?? null;
    if (reward !== null && typeof reward !== "number") throw new Refusal("reward must be a number");
    const [length, promptLength] = [countAt(record, "seqlen"), countAt(record, "prompt_len")];
    const [head, tail] = [countAt(record, "head_version"), countAt(record, "tail_version")];
    const task = idAt(record, "task_id");
    return [
      {
        type: "rollout",
        id: idOf(file, line),
        prompt,
        group: task === undefined ? null : isEvaluation(file) ? `eval-${task}` : task,
        sample: countAt(record, "sample_idx") ?? null,
        step: tail ?? null,
        verdict:
          reward === null
            ? unknown("the reward is null or NaN: the workflow gave no number")
            : noVerdict("AReaL dumps a reward, not a verdict"),
        reward,
        turns: [...promptTurns(prompt), ...completionTurns(completion)],
        tokens:
          length === undefined || promptLength === undefined || length < promptLength
            ? null
            : length - promptLength,
        extra: {
          ...(head === undefined ? {} : { head_version: head }),
          ...(tail === undefined ? {} : { tail_version: tail }),
          ...(head === undefined || tail === undefined ? {} : { staleness: tail - head }),
        },
      },
    ];
  },
  absent: {
    components: "only the reward is dumped",
    stop_reason: "why a trajectory ended is not dumped",
    policy: "the model is only in the configuration of the run",
    harness: "commits are not dumped",
    seed: "seeds are only in the configuration of the run",
    started_at: "trajectories have no timestamp",
    duration_ms: "time is not dumped",
    logprob_mean: "log-probabilities are not dumped",
    "turns.tokens": "a completion is one text",
    "turns.ms": "time is not dumped",
  },
  inferred: {
    step: "tail_version, the newest weights that wrote a token of it",
    item: "equal prompts are one item",
    group: "the task, whose samples are rolled out together",
    tokens:
      "length of the sequence without the prompt; in trajectories of several turns this includes what tools said",
    turns: "prompt and completion are rendered texts: cut at the marks of their chat template",
    "turns.ok": "false for a call that cannot be read; tools' answers do not say whether a call succeeded",
  },
};

const isEvaluation = (file: ForeignFile): boolean => file.folders[1] === "eval-rollout";

/** Files of one run share their names: every version may have a file of the task, and evaluations have their own. */
function idOf(file: ForeignFile, line: number): string {
  const [version = "", kind] = file.folders;
  const place = [...(/^\d+$/.test(version) ? [version] : []), file.name.replace(/\.jsonl$/, ""), line].join(
    "-",
  );
  return kind === "eval-rollout" ? `eval-${place}` : place;
}

function runOf(file: ForeignFile): RunPlace {
  const [version = "", kind = "", trial, experiment] = file.folders;
  if (!/^\d+$/.test(version) || !/^(?:eval-)?rollout$/.test(kind) || trial === undefined)
    return { name: version === "" ? file.name : version, path: dirname(file.path) };
  return {
    name: experiment === undefined ? trial : `${experiment}-${trial}`,
    path: join(dirname(file.path), "../.."),
  };
}
