import { dirname } from "node:path";
import type { Turn } from "../../../../../shared/model/rollout.ts";
import { noVerdict, Refusal, unknown, type FileAdapter, type Verdict } from "../parts/adapter.ts";
import { chatTurns } from "../chat/chat.ts";
import {
  fieldsAt,
  isFields,
  listAt,
  nameAt,
  numberAt,
  numbersIn,
  textAt,
  type Fields,
} from "../parts/untrusted.ts";

/**
 * A conversation per file, as the LoggingTranscripts feature of a fork of tinker-cookbook writes it:
 * `rollouts_<month and day>T<time>-<address>.json`.
 */
export const tinkerRewardhack: FileAdapter = {
  name: "tinker-rewardhack",
  title: "transcript of tinker-cookbook-reward-hacking",
  note: {
    writer: "tinker-cookbook-reward-hacking",
    files: "`rollouts_*.json`",
    verdict: "none: `--pass-when`",
  },
  source:
    "tinker-cookbook-reward-hacking@a76a514d tinker_cookbook/rl/features/logging_transcripts.py LoggingTranscriptsEnv.step",
  provides: "rollouts",
  unit: "file",
  detect: async (file) => {
    if (!/^\s*\{\s*"rollouts":/.test(file.head.toString("utf8", 0, 256))) return false;
    const document = await file.document();
    return (
      textAt(document, "rollouts", 0, "role") !== undefined &&
      fieldsAt(document, "metrics") !== undefined &&
      nameAt(document, "env_type") !== undefined
    );
  },
  runOf: (file) => ({ name: file.folders[0] ?? "run", path: dirname(file.path) }),
  splitOf: () => "train",
  read: async function* (file) {
    const document = await file.document();
    const messages = listAt(document, "rollouts");
    if (!isFields(document) || messages === undefined)
      throw new Refusal(`${file.path} is not a transcript: it has no list of rollouts`);
    const metrics = fieldsAt(document, "metrics") ?? {};
    yield {
      record: 1,
      drafts: [
        {
          type: "rollout",
          id: file.name.replace(/\.json$/, ""),
          verdict: verdictIn(metrics),
          reward: rewardOf(document, metrics),
          components: numbersIn(metrics),
          turns: turnsOf(messages),
          extra: {
            ...(nameAt(document, "env_type") === undefined ? {} : { env_type: document["env_type"] }),
            ...(fieldsAt(document, "env_config") === undefined ? {} : { env_config: document["env_config"] }),
            ...(listAt(document, "all_grader_messages") === undefined
              ? {}
              : { grader: chatTurns(listAt(document, "all_grader_messages") ?? []) }),
          },
        },
      ],
    };
  },
  absent: {
    step: "a transcript does not say in which training step it was sampled",
    stop_reason: "why the conversation ended is not written",
    tokens: "tokens are not counted",
    logprob_mean: "log-probabilities are not written",
    policy: "the model is only in the configuration of the run",
    harness: "commits are not written",
    seed: "seeds are only in the configuration of the run",
    started_at: "the name of the file has a time without a year",
    duration_ms: "time is not measured",
    "turns.tokens": "tokens are not counted",
    "turns.ms": "time is not measured",
  },
  inferred: {
    item: "equal problems are one item",
    group: "equal problems are one group",
    sample: "order of the files",
    reward: "public and private reward, weighted by public_test_weight_in_reward as the environment does",
    "turns.ok": "the exit code at the start of the tool's answer",
  },
};

/** Set by the environment when the sandbox or the tests did not run: both rewards are then 0 without a meaning. */
const broken = ["docker_error", "failed_startup_commands", "could_not_run_tests", "tests_timed_out"];

function verdictIn(metrics: Fields): Verdict {
  const found = broken.filter((name) => (numberAt(metrics, name) ?? 0) !== 0);
  if (found.length > 0) return unknown(`the environment reports ${found.join(", ")}`);
  if (numberAt(metrics, "private_reward") === undefined) return unknown("the metrics have no private_reward");
  return noVerdict("rewards are shares of tests that passed, not a verdict");
}

function rewardOf(document: Fields, metrics: Fields): number | null {
  const weight = numberAt(document, "env_config", "public_test_weight_in_reward");
  const [shown, hidden] = [numberAt(metrics, "public_reward"), numberAt(metrics, "private_reward")];
  if (weight === undefined || shown === undefined || hidden === undefined) return null;
  return weight * shown + (1 - weight) * hidden;
}

const answer = /Here is the output of the tool you called:\s*/;

/** Answers of tools are messages of the user; each says which exit code the call before it had. */
function turnsOf(messages: readonly unknown[]): Turn[] {
  const turns: Turn[] = [];
  for (const turn of chatTurns(messages)) {
    const called = turns.at(-1);
    const [, code] = /EXIT CODE: (-?\d+)/.exec(turn.text) ?? [];
    if (turn.role !== "user" || called?.tool === undefined || !answer.test(turn.text)) turns.push(turn);
    else {
      if (code !== undefined) turns[turns.length - 1] = { ...called, ok: code === "0" };
      turns.push({ ...turn, role: "tool" });
    }
  }
  return turns;
}
