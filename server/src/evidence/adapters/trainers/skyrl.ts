import { dirname, join } from "node:path";
import { noVerdict, Refusal, unknown, type ForeignFile, type LineAdapter } from "../parts/adapter.ts";
import { completionTurns, promptTurns } from "../chat/chatMarkup.ts";
import { kept } from "../parts/kept.ts";
import { at, idAt, isFields, listAt, nameAt, textAt } from "../parts/untrusted.ts";

/** Evaluations that SkyRL dumps, `dumped_evals/global_step_<n>_evals/<data source>.jsonl`. */
export const skyrl: LineAdapter = {
  name: "skyrl",
  title: "SkyRL evaluation dump",
  note: {
    writer: "SkyRL, dumps of evaluations",
    files: "`dumped_evals/global_step_<n>_evals/<data source>.jsonl`",
    verdict: "none: `--pass-when`",
  },
  source:
    "SkyRL@a9564572 skyrl/train/utils/trainer_utils.py:324 dump_per_dataset_eval_results; evaluate.py:147",
  provides: "rollouts",
  unit: "line",
  signature: ["input_prompt", "output_response", "score", "env_class"],
  detect: async (file) => {
    const first = await file.firstRecord();
    return (
      textAt(first, "input_prompt") !== undefined &&
      textAt(first, "output_response") !== undefined &&
      isFields(first) &&
      "score" in first &&
      "env_class" in first
    );
  },
  runOf: (file) =>
    file.folders[1] === "dumped_evals"
      ? { name: file.folders[2] ?? "run", path: join(dirname(file.path), "../..") }
      : { name: file.folders[0] ?? file.name, path: dirname(file.path) },
  companions: () => ["aggregated_results.jsonl"],
  splitOf: () => "selection",
  convert: (record, { file, line }) => {
    if (!isFields(record)) throw new Refusal("a sample must be an object");
    const [prompt, response] = [textAt(record, "input_prompt"), textAt(record, "output_response")];
    if (prompt === undefined || response === undefined)
      throw new Refusal("input_prompt and output_response must be strings");
    const { reward, perToken } = scoreOf(at(record, "score") ?? null);
    const source = idAt(record, "data_source");
    return [
      {
        type: "rollout",
        id: idOf(file, line),
        // The same words in two data sets are graded by different rules.
        prompt: source === undefined ? prompt : `${source}\n${prompt}`,
        step: stepOf(file),
        verdict:
          reward === null
            ? unknown("the score is null or NaN: the environment gave no number")
            : noVerdict("SkyRL writes a score, not a verdict"),
        reward,
        stop_reason: nameAt(record, "stop_reason") ?? null,
        turns: [...promptTurns(prompt), ...completionTurns(response)],
        tokens: perToken ?? null,
        extra: kept({
          data_source: source,
          env_class: record["env_class"],
          env_extras: record["env_extras"],
        }),
      },
    ];
  },
  absent: {
    components: "only the score is written",
    policy: "the model is only in the configuration of the run",
    harness: "commits are not written",
    seed: "seeds are only in the configuration of the run",
    started_at: "samples have no timestamp",
    duration_ms: "time is not written",
    logprob_mean: "log-probabilities are not written",
    "turns.tokens": "a response is one text",
    "turns.ms": "time is not written",
  },
  inferred: {
    step: "the folder global_step_<n>_evals",
    item: "equal prompts of one data source are one item",
    group: "equal prompts in one step are one group",
    sample: "order in the file",
    reward: "if there is one score per token, their sum",
    tokens: "if there is one score per token, how many there are",
    turns: "prompt and response are rendered texts: cut at the marks of their chat template",
    "turns.ok": "false for a call that cannot be read; tools' answers do not say whether a call succeeded",
  },
};

/** The files of every step have the same names. */
function idOf(file: ForeignFile, line: number): string {
  const step = stepOf(file);
  return [...(step === null ? [] : [step]), file.name.replace(/\.jsonl$/, ""), line].join("-");
}

function stepOf(file: ForeignFile): number | null {
  const [, step] = /^global_step_(\d+)/.exec(file.folders[0] ?? "") ?? [];
  return step === undefined ? null : Number(step);
}

/** A score per token is that of the response spread over it: the trainer sums it. */
function scoreOf(score: unknown): { readonly reward: number | null; readonly perToken?: number } {
  if (score === null) return { reward: null };
  if (typeof score === "number") return { reward: score };
  const scores = listAt({ score }, "score");
  if (scores === undefined) throw new Refusal("score must be a number or a list of numbers");
  let reward: number | null = 0;
  for (const value of scores) {
    if (value !== null && typeof value !== "number") throw new Refusal("score must be a list of numbers");
    reward = value === null || reward === null ? null : reward + value;
  }
  return { reward, perToken: scores.length };
}
