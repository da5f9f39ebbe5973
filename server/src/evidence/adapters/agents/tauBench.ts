import { fileBytes } from "../../../reading/bytes.ts";
import { readElements } from "../../../reading/elements.ts";
import {
  Refusal,
  unknown,
  verdictOf,
  type Entry,
  type FileAdapter,
  type ForeignFile,
  type RolloutDraft,
  type Verdict,
} from "../parts/adapter.ts";
import { chatTurns } from "../chat/chat.ts";
import { extraOf } from "../parts/clip.ts";
import {
  at,
  booleanAt,
  countAt,
  fieldsAt,
  idAt,
  isFields,
  listAt,
  nameAt,
  numberAt,
  textAt,
  type Fields,
} from "../parts/untrusted.ts";

/** Result files of tau-bench: one array of trajectories, in the order in which they ended. */
export const tauBench: FileAdapter = {
  name: "tau-bench",
  title: "tau-bench results",
  note: { writer: "tau-bench", files: "`*.json`", verdict: "a reward of 1" },
  source: "tau-bench@59a200c6 tau_bench/run.py:69 EnvRunResult, :183 is_successful; envs/base.py:88 step",
  provides: "rollouts",
  unit: "file",
  detect: async (file) => {
    const head = file.head.toString("utf8", 0, 512);
    if (!/^(?:\ufeff)?\s*\[\s*\{\s*"task_id"\s*:/.test(head)) return false;
    const document = await file.document();
    return document === undefined ? /"reward"\s*:/.test(head) : isResult(at(document, 0));
  },
  splitOf: () => "selection",
  read,
  absent: {
    stop_reason: "tau-bench does not write why a conversation ended",
    tokens: "costs are written, tokens are not",
    logprob_mean: "not in the file",
    policy: "at best, the file name contains the model",
    harness: "not in the file",
    seed: "not in the file",
    started_at: "not in the file",
    duration_ms: "not in the file",
    "turns.tokens": "not in the file",
    "turns.ms": "not in the file",
  },
  inferred: {
    outcome: "a reward of 1 is a success, as in tau-bench's is_successful",
    item: "the domain that the first policy of the file names, and the id of the task within it",
    "turns.ok": "the answer to a failed call begins with Error: or Unknown action",
  },
};

const isResult = (value: unknown): boolean =>
  idAt(value, "task_id") !== undefined &&
  numberAt(value, "reward") !== undefined &&
  fieldsAt(value, "info") !== undefined &&
  listAt(value, "traj") !== undefined &&
  countAt(value, "trial") !== undefined;

async function* read(file: ForeignFile): AsyncGenerator<Entry> {
  const domain = domainOf(file);
  for await (const item of readElements(fileBytes(file.path), { name: file.path })) {
    const record = item.index + 1;
    if (item.type === "problem") yield { record, problem: item.reason };
    else
      try {
        yield { record, drafts: [draftOf(item.value, domain)], nonFinite: item.nonFinite?.count };
      } catch (e) {
        if (!Refusal.is(e)) throw e;
        yield { record, problem: e.message, raw: JSON.stringify(item.value).slice(0, 4096) };
      }
  }
}

/** The policy that every conversation begins with has the domain in its title. */
const domainOf = (file: ForeignFile): string | undefined =>
  /"# (\w+) agent policy\\n/i.exec(file.head.toString("utf8"))?.[1]?.toLowerCase();

function draftOf(result: unknown, domain: string | undefined): RolloutDraft {
  if (!isFields(result)) throw new Refusal("a result must be an object");
  const [task, messages] = [idAt(result, "task_id"), listAt(result, "traj")];
  if (task === undefined || messages === undefined) throw new Refusal("a result needs a task_id and a traj");
  const trial = countAt(result, "trial");
  const reward = numberAt(result, "reward");
  const rewardInfo = fieldsAt(result, "info", "reward_info");
  return {
    type: "rollout",
    id: trial === undefined ? null : `${task}-${trial}`,
    item: domain === undefined ? task : `${domain}/${task}`,
    sample: trial ?? null,
    verdict: verdict(result, reward),
    reward: reward ?? null,
    components: {
      ...(reward === undefined ? {} : { reward }),
      ...partOf(rewardInfo, "r_actions"),
      ...partOf(rewardInfo, "r_outputs"),
    },
    turns: chatTurns(messages.map(withResult)),
    extra: extraOf({
      task: at(result, "info", "task"),
      outputs: at(rewardInfo, "info", "outputs"),
      source: at(result, "info", "source"),
      user_cost: at(result, "info", "user_cost"),
      error: at(result, "info", "error"),
      ...(rewardInfo === undefined ? { evaluated: false } : {}),
    }),
  };
}

function verdict(result: Fields, reward: number | undefined): Verdict {
  const error = nameAt(result, "info", "error");
  // A crash of the run is written as a reward of 0 with its traceback.
  if (error !== undefined || nameAt(result, "info", "traceback") !== undefined)
    return unknown(`the run of the task failed: ${(error ?? "no message").slice(0, 300)}`);
  return reward === undefined ? unknown("the reward is missing") : verdictOf(Math.abs(reward - 1) <= 1e-6);
}

function partOf(rewardInfo: Fields | undefined, name: string): Record<string, number> {
  const value = numberAt(rewardInfo, "info", name) ?? booleanAt(rewardInfo, "info", name);
  return value === undefined ? {} : { [name]: Number(value) };
}

/** The environment answers a call that failed in these words, and in no others. */
function withResult(message: unknown): unknown {
  if (!isFields(message) || textAt(message, "role") !== "tool") return message;
  const content = textAt(message, "content");
  return content === undefined
    ? message
    : { ...message, is_error: /^(?:Error:|Unknown action )/.test(content) };
}
