import { dirname, join } from "node:path";
import type { Turn } from "../../../../../shared/model/rollout.ts";
import { readPickles } from "../../../reading/pickle.ts";
import {
  noVerdict,
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
import { kept } from "../parts/kept.ts";
import { meanOf } from "../parts/means.ts";
import { nonFiniteIn, plainJson } from "../parts/plainJson.ts";
import { tokenValues } from "../parts/tokenValues.ts";
import { at, idAt, isFields, listAt, nameAt, numberAt, numbersIn, type Fields } from "../parts/untrusted.ts";

/**
 * Rollouts of the EvoTrainer release on ROLL: a pickle of plain data per rollout,
 * `{rollouts}/{env}/{train|val}/{n}/{tag}_{group}_{env id}_{time}.pkl`, or several in a list, and the list of an evaluation
 * in `detailed_eval_info.json`. Nothing in a pickle is run.
 */
export const roll: FileAdapter = {
  name: "roll",
  title: "rollout of ROLL / EvoTrainer",
  note: {
    writer: "ROLL, EvoTrainer's released code",
    files: "`*.pkl`, `detailed_eval_info.json`",
    verdict: "`binary_correctness`; −999 and empty reward records are unknown",
  },
  source:
    "DAMO-ConvAI@483554e EvoTrainer/roll/pipeline/agentic/env_manager/mcp_swe_env_manager.py:655-722, :724; agentic/utils.py:33; skills/harness/agentic-rl-harness.md",
  provides: "rollouts",
  unit: "file",
  detect: async (file) => {
    const isJson = file.name.endsWith(".json");
    if (!isJson && (file.head[0] !== 0x80 || file.head.includes("DataProto"))) return false;
    if (!signs.every((sign) => file.head.includes(sign))) return false;
    if (!isJson) return true;
    const document = await file.document();
    return isRecord(at(document, 0)) && listAt(document, 0, "messages") !== undefined;
  },
  runOf: (file) => {
    const place = placeOf(file);
    if (place.mode === undefined) return { name: file.folders[0] ?? "run", path: dirname(file.path) };
    const environment = file.folders[2] ?? "run";
    const inRollouts = file.folders[3] === "rollouts";
    return {
      name: inRollouts ? (file.folders[4] ?? environment) : environment,
      path: join(dirname(file.path), inRollouts ? "../../../.." : "../.."),
    };
  },
  splitOf: (file) => {
    const { mode } = placeOf(file);
    return mode === "train" || /^train_/.test(file.name) ? "train" : "selection";
  },
  read: async function* (file) {
    const place = placeOf(file);
    let record = 0;
    if (file.name.endsWith(".json"))
      for (const one of await evaluationOf(file)) yield entryOf(one, place, ++record);
    else
      for await (const { value } of readPickles(file.path, { opaque: true }))
        for (const one of listOf(value))
          yield { ...entryOf(plainJson(one), place, ++record), nonFinite: nonFiniteIn(one) };
  },
  absent: {
    stop_reason: "whether a limit ended the rollout is not written",
    policy: "the model is only in the configuration of the run",
    harness: "commits are not written",
    seed: "seeds are only in the configuration of the run",
    started_at: "the time in the name is when the file was saved, without a time zone",
    duration_ms: "times are in separate files of tool calls",
    "turns.ms": "times are in separate files of tool calls",
  },
  inferred: {
    step: "the folder: for an evaluation its step, for training the episode of its group, which is counted like steps",
    group: "tag and group in the file name",
    sample: "order of the files",
    outcome: "binary_correctness equal to 1, as in the health report of the release",
    reward: "null if the reward record is empty: the release writes a crash of the evaluator (-999) as 0",
    tokens: "how many token ids the responses have",
    "turns.ok": "mcp_tool_call_success of the turn, if it made one call",
  },
};

const signs = ["final_reward", "detailed_reward_info"];
const isRecord = (value: unknown): value is Fields => isFields(value) && signs.every((sign) => sign in value);

interface Place {
  readonly mode: "train" | "val" | undefined;
  readonly step: number | null;
  readonly tag?: string;
  readonly group?: string;
  readonly environment?: number;
}

/** The tag may hold underscores; what follows it are numbers. */
function placeOf({ name, folders }: ForeignFile): Place {
  const [, tag, group, environment] = /^(.+)_(\d+)_(\d+)_\d{8}_\d{6}_\d{6}\.pkl$/.exec(name) ?? [];
  const [number = "", folder] = folders;
  const mode = (folder === "train" || folder === "val") && /^\d+$/.test(number) ? folder : undefined;
  const [, inName] = /^(?:train|val)_step_(\d+)\./.exec(name) ?? /^eval_step_(\d+)_/.exec(number) ?? [];
  const step = mode === undefined ? inName : number;
  return {
    mode,
    step: step === undefined ? null : Number(step),
    ...(tag === undefined ? {} : { tag }),
    ...(group === undefined ? {} : { group }),
    ...(environment === undefined ? {} : { environment: Number(environment) }),
  };
}

const listOf = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : [value]);

async function evaluationOf(file: ForeignFile): Promise<readonly unknown[]> {
  const document = await file.document();
  if (document === undefined) throw new Refusal(`${file.path} is not a JSON document of at most 64 MiB`);
  return listOf(document);
}

function entryOf(value: unknown, place: Place, record: number): Entry {
  if (!isRecord(value))
    return { record, problem: "a rollout must be a dict with final_reward and detailed_reward_info" };
  const history = listAt(value, "history");
  const messages = listAt(value, "messages");
  if (history === undefined && messages === undefined)
    return { record, problem: "a rollout must have a list history or messages" };
  return { record, drafts: [rolloutOf(value, place, { history, messages })] };
}

function rolloutOf(
  value: Fields,
  place: Place,
  said: {
    readonly history: readonly unknown[] | undefined;
    readonly messages: readonly unknown[] | undefined;
  },
): RolloutDraft {
  const details = detailsOf(value["detailed_reward_info"]);
  const reward = numberAt(value, "final_reward");
  const verdict = verdictIn(reward, details);
  const tag = nameAt(value, "tag") ?? place.tag;
  const history = said.history ?? [];
  const counted = history.flatMap((turn) => listAt(turn, "response_ids")?.length ?? []);
  const logprobs = history.flatMap((turn) => listAt(turn, "infer_logprobs") ?? []);
  // Episodes of training and steps of evaluations are counted apart.
  const kind = place.mode === "val" ? "val-" : "";
  const group = place.group === undefined ? null : `${kind}${place.step ?? 0}/${tag ?? ""}_${place.group}`;
  return {
    type: "rollout",
    item:
      idAt(value, "meta_data", "meta", "source_instance_id") ??
      idAt(value, "meta_data", "native_id") ??
      idAt(value, "meta_data", "id") ??
      null,
    group,
    step: place.step,
    verdict,
    reward: reward === -999 || details === undefined ? null : (reward ?? null),
    components: numbersIn(details),
    turns: said.history === undefined ? chatTurns(said.messages ?? []) : history.flatMap(turnsOf),
    tokens: counted.length === 0 ? null : counted.reduce((a, b) => a + b, 0),
    logprob_mean: meanOf(logprobs),
    extra: {
      ...kept({
        tag,
        environment: place.environment ?? idAt(value, "env_id"),
        reward_record: details,
        judge_info: value["judge_info"] === "" ? null : value["judge_info"],
        meta_data: value["meta_data"],
        ...penalties(history),
      }),
      ...tokenValues({ token_logprobs: logprobs }),
    },
  };
}

/** The record is a dict, or a dict as JSON in a text; empty when the evaluator crashed. */
function detailsOf(value: unknown): Fields | undefined {
  let record = value;
  if (typeof record === "string" && record !== "")
    try {
      record = JSON.parse(record);
    } catch {
      return undefined;
    }
  return isFields(record) && Object.keys(record).length > 0 ? record : undefined;
}

function verdictIn(reward: number | undefined, details: Fields | undefined): Verdict {
  if (reward === -999) return unknown("the final reward is -999: the evaluator crashed");
  if (details === undefined) return unknown("the reward record is empty: the evaluator crashed");
  if (reward === undefined) return unknown("the final reward is missing, null or NaN");
  const correct = numberAt(details, "binary_correctness");
  return correct === undefined
    ? noVerdict("the reward record has no binary_correctness")
    : verdictOf(correct === 1);
}

function turnsOf(turn: unknown): Turn[] {
  const turns = chatTurns(listAt(turn, "parsed_messages") ?? listAt(turn, "messages") ?? []);
  const tokens = listAt(turn, "response_ids")?.length;
  const success = numberAt(turn, "metrics", "mcp_tool_call_success");
  const calls = turns.filter((t) => t.tool !== undefined).length;
  // The policy speaks last in a turn; further calls of its message are turns without words.
  const spoke = turns.findLastIndex((t) => t.role !== "assistant") + 1;
  return turns.map((t, i) => ({
    ...t,
    ...(i === spoke && tokens !== undefined ? { tokens } : {}),
    ...(t.tool !== undefined && calls === 1 && (success === 0 || success === 1) ? { ok: success === 1 } : {}),
  }));
}

function penalties(history: readonly unknown[]): Record<string, unknown> {
  const values = history.map((turn) => numberAt(turn, "penalty") ?? 0);
  return values.some((value) => value !== 0) ? { turn_penalties: values } : {};
}
