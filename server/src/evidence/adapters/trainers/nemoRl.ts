import { dirname } from "node:path";
import type { Turn } from "../../../../../shared/model/rollout.ts";
import { noVerdict, Refusal, unknown, type ForeignFile, type LineAdapter } from "../parts/adapter.ts";
import { chatTurns } from "../chat/chat.ts";
import { completionTurns, hasMarkup, promptTurns } from "../chat/chatMarkup.ts";
import { meanOf } from "../parts/means.ts";
import { differences, tokenValues } from "../parts/tokenValues.ts";
import { at, countAt, fieldsAt, isFields, listAt, numberAt, type Fields } from "../parts/untrusted.ts";

const named = /^(train|val)_data_step(\d+)\.jsonl$/;

/** Samples that NeMo-RL logs per step: each value of a line is a list with the one element of the sample. */
export const nemoRl: LineAdapter = {
  name: "nemo-rl",
  title: "NeMo-RL step data",
  note: {
    writer: "NeMo-RL",
    files: "`train_data_step<n>.jsonl`, `val_data_step<n>.jsonl`",
    verdict: "none: `--pass-when`",
  },
  source:
    "NeMo-RL@7ea279ab nemo_rl/algorithms/grpo.py:3630-3653, :4015-4021; nemo_rl/utils/logger.py:1071-1096",
  provides: "rollouts",
  unit: "line",
  signature: ["content", "rewards", "idx"],
  detect: async (file) => {
    const first = await file.firstRecord();
    return (
      listAt(first, "content")?.length === 1 &&
      listAt(first, "rewards")?.length === 1 &&
      (named.test(file.name) || countAt(first, "idx") !== undefined)
    );
  },
  // Training and validation of all steps lie in the folder of the run.
  runOf: (file) => ({ name: file.folders[0] ?? "run", path: dirname(file.path) }),
  splitOf: (file) => (placeOf(file).kind === "train" ? "train" : "selection"),
  convert: (record, { file }) => {
    if (!isFields(record)) throw new Refusal("a sample must be an object");
    const content = at(record, "content", 0);
    if (typeof content !== "string" && !Array.isArray(content))
      throw new Refusal("content must be a list with one list of messages");
    const turns = turnsOf(content);
    const prompt = turns.find((turn) => turn.role === "user")?.text;
    const reward = at(record, "rewards", 0) ?? null;
    if (reward !== null && typeof reward !== "number")
      throw new Refusal("rewards must be a list with a number");
    const filtered = numberAt(record, "filtered_rewards", 0);
    const mask = listAt(record, "token_loss_mask", 0);
    return [
      {
        type: "rollout",
        ...(prompt === undefined ? {} : { prompt }),
        step: placeOf(file).step,
        verdict:
          reward === null
            ? unknown("the reward is null or NaN: the environment gave no number")
            : noVerdict("NeMo-RL logs a reward, not a verdict"),
        reward,
        components: filtered === undefined ? {} : { filtered_reward: filtered },
        turns: withTokens(turns, mask),
        tokens: mask === undefined ? null : mask.filter(isOne).length,
        logprob_mean:
          mask === undefined ? null : meanOf(masked(listAt(record, "generation_logprobs", 0), mask)),
        extra: extra(record, mask),
      },
    ];
  },
  absent: {
    stop_reason: "why a sample ended is not logged",
    policy: "the model is only in the configuration of the run",
    harness: "commits are not logged",
    seed: "seeds are only in the configuration of the run",
    started_at: "samples have no timestamp",
    duration_ms: "time is measured per step, not per sample",
    "turns.ms": "time is measured per step, not per sample",
  },
  inferred: {
    step: "the number in the file name",
    item: "equal prompts are one item",
    group: "equal prompts in one step are one group",
    sample: "order in the file",
    turns:
      "messages of training files have no roles: after those with the marks of a chat template, or after the first, the policy and the environment take turns",
    tokens: "tokens that the loss mask marks, which are those of the policy",
    "turns.tokens":
      "tokens in a row that the loss mask marks, if there are as many such rows as turns of the policy",
    "turns.ok": "false for a call that cannot be read; tools' answers do not say whether a call succeeded",
  },
};

function placeOf(file: ForeignFile): { readonly kind: string; readonly step: number | null } {
  const [, kind = "", step] = named.exec(file.name) ?? [];
  return { kind, step: step === undefined ? null : Number(step) };
}

function turnsOf(content: string | readonly unknown[]): Turn[] {
  if (typeof content === "string") return promptTurns(content);
  if (content.some((message) => isFields(message))) return chatTurns(content);
  const texts = content.filter((text) => typeof text === "string");
  const marked = texts.findIndex((text) => !hasMarkup(text));
  const prompts = marked === -1 ? texts.length : Math.max(1, marked);
  return texts.flatMap((text, i) => {
    if (i < prompts) return promptTurns(text);
    return (i - prompts) % 2 === 0 ? completionTurns(text) : [{ role: "tool", text }];
  });
}

/** The turns of the policy with the lengths of the rows of tokens that the mask marks, if there are as many of both. */
function withTokens(turns: readonly Turn[], mask: readonly unknown[] | undefined): Turn[] {
  const rows: number[] = [];
  for (const [i, value] of (mask ?? []).entries())
    if (isOne(value)) {
      if (i === 0 || !isOne(mask?.[i - 1])) rows.push(0);
      rows.push((rows.pop() ?? 0) + 1);
    }
  if (turns.filter(({ role }) => role === "assistant").length !== rows.length) return [...turns];
  return turns.map((turn) => {
    const tokens = turn.role === "assistant" ? rows.shift() : undefined;
    return tokens === undefined ? turn : { ...turn, tokens };
  });
}

const isOne = (value: unknown): boolean => value === 1 || value === true;

function masked(values: readonly unknown[] | undefined, mask: readonly unknown[]): unknown[] {
  return values?.filter((_, i) => isOne(mask[i])) ?? [];
}

function extra(record: Fields, mask: readonly unknown[] | undefined): Record<string, unknown> {
  const advantages = at(record, "advantages", 0);
  const advantage =
    typeof advantages === "number"
      ? advantages
      : meanOf(masked(Array.isArray(advantages) ? advantages : undefined, mask ?? []));
  const ofPolicy = (name: string): unknown[] | undefined => {
    const values = listAt(record, name, 0);
    return values === undefined || mask === undefined ? undefined : masked(values, mask);
  };
  const sampled = ofPolicy("generation_logprobs");
  const length = at(record, "input_lengths", 0);
  const agent = at(record, "agent_ref", 0);
  const inLoss = at(record, "sample_loss_mask", 0);
  return {
    ...(advantage === null ? {} : { advantage }),
    ...(typeof length === "number" ? { input_length: length } : {}),
    ...(fieldsAt({ agent }, "agent") === undefined ? {} : { agent_ref: agent }),
    ...(typeof inLoss === "number" ? { sample_loss_mask: inLoss } : {}),
    ...tokenValues({
      token_logprobs: sampled,
      token_advantages: ofPolicy("advantages"),
      trainer_sampler_difference: differences(ofPolicy("prev_logprobs"), sampled),
    }),
  };
}
