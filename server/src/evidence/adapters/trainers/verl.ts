import { dirname } from "node:path";
import { noVerdict, Refusal, unknown, verdictOf, type LineAdapter, type Verdict } from "../parts/adapter.ts";
import { strippedCompletion, strippedPrompt } from "../chat/strippedMarkup.ts";
import {
  at,
  booleanAt,
  idAt,
  isFields,
  numberAt,
  numbersIn,
  textAt,
  without,
  type Fields,
} from "../parts/untrusted.ts";

/**
 * Rollout and validation dumps of verl, `{dir}/{global_step}.jsonl`. The reward keys beside `score` differ by reward
 * function; `acc` is the verdict where a reward function gives one.
 */
export const verl: LineAdapter = {
  name: "verl",
  title: "verl rollout dump",
  note: {
    writer: "verl, RAGEN: rollout and validation dumps",
    files: "`<step>.jsonl`",
    verdict: "`acc` or `correct` if the reward function returns it; else `--pass-when`",
  },
  source: "verl@1dda039b verl/trainer/ppo/ray_trainer.py:454 _write_generations",
  provides: "rollouts",
  unit: "line",
  signature: ["input", "output", "score", "step"],
  detect: async (file) => {
    const first = await file.firstRecord();
    return (
      isFields(first) &&
      textAt(first, "input") !== undefined &&
      textAt(first, "output") !== undefined &&
      "score" in first &&
      numberAt(first, "step") !== undefined
    );
  },
  // Files named by the step alone belong to one run; any other name is a run of its own.
  runOf: (file) =>
    /^\d+\.jsonl$/.test(file.name)
      ? { name: file.folders[0] ?? file.name, path: dirname(file.path) }
      : { name: file.name.replace(/\.jsonl$/, ""), path: file.path },
  splitOf: (file) =>
    [file.name, ...file.folders.slice(0, 2)].some((n) => /\bval|valid/i.test(n)) ? "selection" : "train",
  convert: (record, { line }) => {
    if (!isFields(record)) throw new Refusal("a verl sample must be an object");
    const [input, output] = [textAt(record, "input"), textAt(record, "output")];
    if (input === undefined || output === undefined) throw new Refusal("input and output must be strings");
    return [
      {
        type: "rollout",
        id: idAt(record, "request_id") ?? null,
        prompt: input,
        step: numberAt(record, "step") ?? null,
        verdict: verdict(record, line),
        reward: numberAt(record, "score") ?? null,
        components: components(record),
        turns: [...strippedPrompt(input), ...strippedCompletion(output)],
        extra: without(record, "input", "output", "score", "step", "request_id"),
      },
    ];
  },
  absent: {
    tokens: "verl writes texts, not lengths",
    logprob_mean: "not in the dump",
    stop_reason: "not in the dump",
    policy: "not in the dump",
    harness: "not in the dump",
    seed: "not in the dump",
    started_at: "not in the dump",
    duration_ms: "not in the dump",
    "turns.tokens": "not in the dump",
    "turns.ms": "not in the dump",
  },
  inferred: {
    item: "equal prompts are one item",
    group: "equal prompts in one step are one group, even if the prompt was drawn twice in that step",
    sample: "order in the file",
    turns:
      "the output is one text: it is cut at answers to calls; a role's name on a line elsewhere was written by the policy",
    "turns.ok": "false for a call that cannot be read; tools' answers do not say whether a call succeeded",
  },
};

function verdict(record: Fields, line: number): Verdict {
  const accuracy = at(record, "acc") ?? at(record, "correct");
  const flag = booleanAt({ accuracy }, "accuracy") ?? numberAt({ accuracy }, "accuracy");
  if (flag === true || flag === 1) return verdictOf(true);
  if (flag === false || flag === 0) return verdictOf(false);
  if (record["score"] === null)
    return unknown(`the score in line ${line} is null or NaN: the reward function failed`);
  return noVerdict("verl writes a score, not a verdict");
}

function components(record: Fields): Record<string, number> {
  const numbers = numbersIn(without(record, "step"));
  for (const [name, value] of Object.entries(record))
    if (typeof value === "boolean") numbers[name] = value ? 1 : 0;
  return numbers;
}
