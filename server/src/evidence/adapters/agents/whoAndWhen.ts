import { dirname } from "node:path";
import type { Turn } from "../../../../../shared/model/rollout.ts";
import {
  noVerdict,
  Refusal,
  verdictOf,
  type Entry,
  type FileAdapter,
  type ForeignFile,
  type Verdict,
} from "../parts/adapter.ts";
import { contentText } from "../chat/chat.ts";
import { extraOf } from "../parts/clip.ts";
import { at, booleanAt, idAt, isFields, listAt, nameAt, type Fields } from "../parts/untrusted.ts";

/**
 * Traces of Who&When: failed runs of teams of agents, with the agent and the step that decided the failure as people
 * marked them. One message is one turn, so that a marked step is the turn of that index.
 */
export const whoAndWhen: FileAdapter = {
  name: "who-and-when",
  title: "Who&When trace",
  note: {
    writer: "Who&When: failures with the decisive step annotated",
    files: "`*.json`",
    verdict: "`is_correct`, `is_corrected`",
  },
  source: "Agents_Failure_Attribution@f4d2b6da Who&When/{Algorithm-Generated,Hand-Crafted}/*.json",
  provides: "rollouts",
  unit: "file",
  detect: async (file) => file.name.endsWith(".json") && isTrace(await file.document()),
  runOf: (file) => ({ name: file.folders[0] ?? "traces", path: dirname(file.path) }),
  splitOf: () => "selection",
  read,
  absent: {
    reward: "traces have no reward",
    components: "traces have no reward",
    stop_reason: "not in the trace",
    tokens: "not in the trace",
    logprob_mean: "not in the trace",
    policy: "the names of agents are written, their models are not",
    harness: "not in the trace",
    seed: "not in the trace",
    started_at: "not in the trace",
    duration_ms: "not in the trace",
    "turns.tool": "agents write code and requests as text",
    "turns.args": "agents write code and requests as text",
    "turns.tokens": "not in the trace",
    "turns.ms": "not in the trace",
  },
  inferred: {
    outcome: "is_correct, which hand-crafted traces call is_corrected",
    sample: "order of the files",
    "turns.ok": "the exit code at the start of a terminal's answer",
  },
};

const isTrace = (value: unknown): value is Fields =>
  isFields(value) &&
  listAt(value, "history") !== undefined &&
  "mistake_agent" in value &&
  "mistake_step" in value &&
  idAt(value, "question_ID") !== undefined;

async function* read(file: ForeignFile): AsyncGenerator<Entry> {
  const trace = await file.document();
  if (!isTrace(trace))
    throw new Refusal("a trace needs history, question_ID, mistake_agent and mistake_step");
  const step = Number(at(trace, "mistake_step"));
  const hasStep = idAt(trace, "mistake_step") !== undefined && Number.isSafeInteger(step) && step >= 0;
  yield {
    record: 1,
    drafts: [
      {
        type: "rollout",
        id: file.name.replace(/\.json$/, ""),
        item: idAt(trace, "question_ID") ?? null,
        verdict: verdict(trace),
        turns: (listAt(trace, "history") ?? []).map(turnOf),
        extra: extraOf({
          mistake_agent: trace["mistake_agent"],
          mistake_step: hasStep ? step : trace["mistake_step"],
          mistake_reason: trace["mistake_reason"],
          question: trace["question"],
          ground_truth: trace["ground_truth"] ?? trace["groundtruth"],
          level: trace["level"],
          system_prompt: trace["system_prompt"],
        }),
      },
    ],
  };
}

function verdict(trace: Fields): Verdict {
  const correct = booleanAt(trace, "is_correct") ?? booleanAt(trace, "is_corrected");
  return correct === undefined
    ? noVerdict("the trace does not say whether the answer was correct")
    : verdictOf(correct);
}

/** Who speaks is in `name`, or in `role` where there is no name: the role of a named message is a matter of protocol. */
function turnOf(message: unknown, index: number): Turn {
  if (!isFields(message)) throw new Refusal(`message ${index} of the history must be an object`);
  const speaker = nameAt(message, "name") ?? nameAt(message, "role") ?? "";
  const text = contentText(message["content"]);
  const role = /^(?:human|user)$/i.test(speaker)
    ? "user"
    : speaker === "system"
      ? "system"
      : isTerminal(speaker)
        ? "tool"
        : "assistant";
  const exit = role === "tool" ? /^exitcode: (-?\d+)/.exec(text)?.[1] : undefined;
  return {
    role,
    text: role === "assistant" && speaker !== "assistant" ? `[${speaker}] ${text}` : text,
    ...(exit === undefined ? {} : { ok: Number(exit) === 0 }),
  };
}

/** The one that runs code, in both kinds of traces. */
const isTerminal = (speaker: string): boolean => /^computer_?terminal$/i.test(speaker) || speaker === "tool";
