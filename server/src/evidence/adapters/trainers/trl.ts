import { dirname } from "node:path";
import type { Turn } from "../../../../../shared/model/rollout.ts";
import type { ParquetColumn, ParquetRow } from "../../../reading/parquet.ts";
import { noVerdict, unknown, type Entry, type FileAdapter, type RolloutDraft } from "../parts/adapter.ts";
import { chatTurns } from "../chat/chat.ts";
import { completionTurns, hasMarkup, promptTurns } from "../chat/chatMarkup.ts";
import { checkpointFiles } from "../parts/checkpointFiles.ts";
import { kept } from "../parts/kept.ts";
import { parquetRows } from "../parts/parquetRows.ts";
import { nonFiniteIn, plainJson } from "../parts/plainJson.ts";
import { strippedCompletion, strippedPrompt } from "../chat/strippedMarkup.ts";
import { countAt, numberAt } from "../parts/untrusted.ts";

/**
 * Completions that the GRPO trainer of TRL logs, `{output_dir}/completions/completions_{step}.parquet`. A file holds the
 * batch that was generated last, so that batches between two logs are not there, and one that outlives a log is in two files.
 */
export const trl: FileAdapter = {
  name: "trl",
  title: "TRL completions",
  note: {
    writer: "TRL, `log_completions`",
    files: "`completions/completions_<step>.parquet`",
    verdict: "none: `--pass-when`",
  },
  source: "trl@f2cd5771 trl/trainer/grpo_trainer.py:3293-3327 log; :1055 _logs; :2658, :2741-2763",
  provides: "rollouts",
  unit: "file",
  signature: ["prompt", "completion", "step", "advantage"],
  detect: async (file) => {
    if (!file.name.endsWith(".parquet") || file.head.toString("latin1", 0, 4) !== "PAR1") return false;
    const types = new Map((await file.parquet()).columns.map(({ name, type }) => [name, type]));
    return (
      types.has("prompt") &&
      types.has("completion") &&
      /INT/.test(types.get("step") ?? "") &&
      isFloat(types.get("advantage") ?? "")
    );
  },
  runOf: (file) =>
    file.folders[0] === "completions"
      ? { name: file.folders[1] ?? "run", path: dirname(dirname(file.path)) }
      : { name: file.folders[0] ?? "run", path: dirname(file.path) },
  splitOf: () => "train",
  // The trained model lies in the folder of the run.
  companions: (file) =>
    file.folders[0] === "completions" ? checkpointFiles.map((name) => `../${name}`) : [],
  read: async function* (file) {
    const { columns } = await file.parquet();
    let record = 0;
    for await (const row of parquetRows(file)) yield entryOf(row, columns, ++record);
  },
  absent: {
    stop_reason: "why a completion ended is not logged",
    tokens: "tokens are not counted per completion",
    logprob_mean: "log-probabilities are not logged",
    policy: "the model is only in the configuration of the run",
    harness: "commits are not logged",
    seed: "seeds are only in the configuration of the run",
    started_at: "completions have no timestamp",
    duration_ms: "time is measured per step, not per completion",
    "turns.tokens": "tokens are not counted per completion",
    "turns.ms": "time is measured per step, not per completion",
  },
  inferred: {
    step: "the step at which the batch was logged: the one in which it was generated, or a later one",
    item: "equal prompts are one item",
    group: "equal prompts in one step are one group, even if the prompt was drawn twice in that step",
    sample: "order in the file",
    reward:
      "that of the reward function if the run has only one; if it has several, their weights are not logged, so their sum is not known",
    components:
      "every column of floats except advantage: the reward functions, and floats that the run itself logged",
    turns:
      "prompt and completion are texts that a chat template rendered: cut at its marks, or at the roles that are left in them",
    "turns.ok": "false for a call that cannot be read; tools' answers do not say whether a call succeeded",
  },
};

const isFloat = (type: string): boolean => type === "DOUBLE" || type === "FLOAT";
const own = ["step", "prompt", "completion", "advantage"];

function entryOf(row: ParquetRow, columns: readonly ParquetColumn[], record: number): Entry {
  const [prompt, completion] = [row["prompt"], row["completion"]];
  if (!isSaid(prompt) || !isSaid(completion))
    return { record, problem: "prompt and completion must be texts or lists of messages" };
  return { record, drafts: [draftOf(row, columns, { prompt, completion })], nonFinite: nonFiniteIn(row) };
}

type Said = string | readonly unknown[];
const isSaid = (value: unknown): value is Said => typeof value === "string" || Array.isArray(value);

function draftOf(
  row: ParquetRow,
  columns: readonly ParquetColumn[],
  said: { readonly prompt: Said; readonly completion: Said },
): RolloutDraft {
  const functions = columns.filter(({ name, type }) => isFloat(type) && !own.includes(name));
  const components: Record<string, number> = {};
  for (const { name } of functions) {
    const value = numberAt(row, name);
    if (value !== undefined) components[name] = value;
  }
  const others = columns.filter((column) => !own.includes(column.name) && !functions.includes(column));
  const [only, ...further] = functions;
  const scored = Object.keys(components).length;
  const advantage = numberAt(row, "advantage");
  return {
    type: "rollout",
    prompt: typeof said.prompt === "string" ? said.prompt : JSON.stringify(plainJson(said.prompt)),
    step: countAt(row, "step") ?? null,
    verdict:
      scored === 0 && functions.length > 0
        ? unknown("every reward function gave null or NaN")
        : noVerdict("TRL logs reward functions, not a verdict"),
    ...(only === undefined || further.length > 0 ? {} : { reward: numberAt(row, only.name) ?? null }),
    components,
    turns: [...promptOf(said.prompt), ...completionOf(said.completion)],
    extra: {
      ...(advantage === undefined ? {} : { advantage }),
      ...kept(Object.fromEntries(others.map(({ name }) => [name, plainJson(row[name])]))),
    },
  };
}

function promptOf(prompt: Said): Turn[] {
  if (typeof prompt !== "string") return chatTurns(messages(prompt));
  return hasMarkup(prompt) ? promptTurns(prompt) : strippedPrompt(prompt);
}

function completionOf(completion: Said): Turn[] {
  if (typeof completion !== "string") return chatTurns(messages(completion));
  return hasMarkup(completion) ? completionTurns(completion) : strippedCompletion(completion);
}

function messages(value: readonly unknown[]): readonly unknown[] {
  const plain = plainJson(value);
  return Array.isArray(plain) ? plain : [];
}
