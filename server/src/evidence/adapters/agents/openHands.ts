import { dirname } from "node:path";
import {
  noVerdict,
  Refusal,
  unknown,
  verdictOf,
  type ForeignFile,
  type LineAdapter,
  type Verdict,
} from "../parts/adapter.ts";
import { eventsOf, openHandsTurns } from "./openHandsEvents.ts";
import { errorVerdict } from "./openHandsExit.ts";
import { summaryVerdict, withExit } from "./sweBench.ts";
import { millisBetween } from "../parts/times.ts";
import {
  booleanAt,
  countAt,
  fieldsAt,
  idAt,
  isFields,
  listAt,
  nameAt,
  numberAt,
  numbersIn,
  textAt,
  without,
  type Fields,
} from "../parts/untrusted.ts";

/**
 * Outputs of OpenHands evaluations, one instance per line. The history is a list of events, of pairs of an action and
 * an observation (2024), or of events of the SDK (V1); the resolver writes the fields of an event beside its name.
 */
export const openHands: LineAdapter = {
  name: "openhands",
  title: "OpenHands evaluation output",
  note: {
    writer: "OpenHands, evaluation harness",
    files: "`output.jsonl`",
    verdict: "`resolved` of the row, or of a report beside it",
  },
  source:
    "OpenHands@d6fab190 evaluation/utils/shared.py:59 EvalOutput, openhands/events/serialization/event.py",
  provides: "rollouts",
  unit: "line",
  detect: async (file) => {
    const first = await file.firstRecord();
    const history = listAt(first, "history");
    return (
      history !== undefined &&
      (itemOf(first) !== undefined || textAt(first, "instruction") !== undefined) &&
      isFields(first) &&
      "error" in first &&
      (history.length === 0 ? fieldsAt(first, "metadata", "llm_config") !== undefined : isHistory(history))
    );
  },
  // `output.jsonl` stands for its folder, which is named after the model and the settings.
  runOf: (file) =>
    file.name === "output.jsonl"
      ? { name: file.folders[0] ?? "output", path: dirname(file.path) }
      : { name: file.name.replace(/\.jsonl$/, ""), path: file.path },
  companions: (file) => [...reportNames(file), "metadata.json"],
  prepare: summariesBeside,
  convert: (record, { prepared }) => {
    if (!isFields(record)) throw new Refusal("an evaluation output must be an object");
    const history = listAt(record, "history");
    const item = itemOf(record);
    checkRow(record, item, history);
    const events = eventsOf(history ?? []);
    const error = nameAt(record, "error");
    const judged = judgementOf(record) ?? summaryOf(prepared, item);
    const times = events.map((event) => textAt(event, "timestamp")).filter((time) => time !== undefined);
    return [
      {
        type: "rollout",
        item: item ?? null,
        ...(item === undefined ? { prompt: textAt(record, "instruction") ?? "" } : {}),
        verdict: withExit(judged, error === undefined ? withoutVerdict(record) : errorVerdict(error)),
        components: componentsOf(record),
        reward: numberAt(record, "test_result", "reward") ?? null,
        turns: turnsOf(record, events),
        stop_reason: stopOf(events, error) ?? null,
        tokens: countAt(record, "metrics", "accumulated_token_usage", "completion_tokens") ?? null,
        policy: modelOf(record) ?? null,
        harness: nameAt(record, "metadata", "git_commit") ?? null,
        started_at: times[0] ?? null,
        duration_ms: millisBetween(times[0], times.at(-1)) ?? null,
        extra: extraOf(record),
      },
    ];
  },
  absent: {
    step: "outputs are evaluations, not training steps",
    logprob_mean: "not in the output",
    seed: "not in the output",
  },
  inferred: {
    sample: "order in the file",
    stop_reason: "the error, or that the last action is to finish",
    started_at: "time of the first event; the source names no time zone",
    duration_ms: "from the first event to the last",
    "turns.ok": "the exit code, or that the observation is an error",
    "turns.ms": "from an action to what was observed, and the latency of the response",
  },
};

function checkRow(record: Fields, item: string | undefined, history: readonly unknown[] | undefined): void {
  if (history !== undefined) return;
  if (record["history"] !== null && record["history"] !== undefined)
    throw new Refusal("history must be a list");
  if (item === undefined) throw new Refusal("there is neither an instance nor a history");
}

const modelOf = (record: Fields): string | undefined =>
  nameAt(record, "metadata", "llm_config", "model") ??
  nameAt(record, "metadata", "llm", "model") ??
  nameAt(record, "metadata", "model_name") ??
  nameAt(record, "model_id");

const isHistory = (history: readonly unknown[]): boolean =>
  eventsOf(history).some((event) =>
    ["action", "observation", "kind"].some((key) => textAt(event, key) !== undefined),
  );

function itemOf(record: unknown): string | undefined {
  const issue = fieldsAt(record, "issue");
  const [owner, repo, number] = [nameAt(issue, "owner"), nameAt(issue, "repo"), idAt(issue, "number")];
  return (
    idAt(record, "instance_id") ??
    idAt(record, "id") ??
    idAt(record, "question_id") ??
    (owner !== undefined && repo !== undefined && number !== undefined
      ? `${owner}/${repo}#${number}`
      : undefined)
  );
}

interface Summary {
  readonly from: string;
  readonly document: unknown;
}

const reportNames = ({ name }: ForeignFile): string[] => [
  name.replace(/\.jsonl$/, ".report.json"),
  ...(name === "output.jsonl" ? ["report.json"] : []),
];

/** Reports about the file's instances: the evaluation writes them beside it. */
async function summariesBeside(file: ForeignFile): Promise<readonly Summary[]> {
  const summaries: Summary[] = [];
  for (const from of reportNames(file)) {
    const document = await file.beside(from);
    if (isFields(document)) summaries.push({ from, document });
  }
  return summaries;
}

function summaryOf(prepared: unknown, item: string | undefined): Verdict | undefined {
  if (item === undefined || !Array.isArray(prepared)) return undefined;
  for (const summary of prepared) {
    const verdict = summaryVerdict(
      fieldsAt(summary, "document"),
      item,
      textAt(summary, "from") ?? "the report",
    );
    if (verdict !== undefined) return verdict;
  }
  return undefined;
}

/** The verdict that the row itself has; what the benchmark's own program could not decide is unknown. */
function judgementOf(record: Fields): Verdict | undefined {
  for (const report of [fieldsAt(record, "report"), fieldsAt(record, "test_result", "report")]) {
    if (booleanAt(report, "error_eval") === true)
      return unknown("error_eval: the evaluation of the patch failed");
    if (booleanAt(report, "test_timeout") === true) return unknown("test_timeout: the tests did not finish");
    const resolved = booleanAt(report, "resolved");
    if (resolved !== undefined) return verdictOf(resolved);
  }
  const flag =
    booleanAt(record, "resolved") ??
    booleanAt(record, "test_result", "resolved") ??
    booleanAt(record, "test_result", "result") ??
    booleanAt(record, "correct");
  return flag === undefined ? undefined : verdictOf(flag);
}

function withoutVerdict(record: Fields): Verdict {
  if (booleanAt(record, "success") !== undefined)
    return noVerdict("success is what a model thinks of the patch, not what a test found");
  return noVerdict("neither the row nor a report beside it says whether the instance is resolved");
}

/** Every number and flag that judges the row. */
function componentsOf(record: Fields): Record<string, number> {
  const judging: Fields[] = [
    ...["report", "test_result"].map((key) => fieldsAt(record, key) ?? {}),
    fieldsAt(record, "test_result", "report") ?? {},
    Object.fromEntries(["correct", "hallucination", "success", "resolved"].map((key) => [key, record[key]])),
  ];
  const components: Record<string, number> = {};
  for (const fields of judging) {
    Object.assign(components, numbersIn(fields));
    for (const [name, value] of Object.entries(fields))
      if (typeof value === "boolean" && name !== "__proto__") components[name] = value ? 1 : 0;
  }
  return components;
}

function turnsOf(record: Fields, events: readonly Fields[]): ReturnType<typeof openHandsTurns> {
  const latencies = new Map<string, number>();
  for (const entry of listAt(record, "metrics", "response_latencies") ?? []) {
    const [id, seconds] = [nameAt(entry, "response_id"), numberAt(entry, "latency")];
    if (id !== undefined && seconds !== undefined && seconds >= 0) latencies.set(id, seconds * 1000);
  }
  const turns = openHandsTurns(events, latencies);
  const asked = textAt(record, "instruction");
  return turns.length === 0 && asked !== undefined ? [{ role: "user", text: asked }] : turns;
}

function stopOf(events: readonly Fields[], error: string | undefined): string | undefined {
  if (error !== undefined) return error.split("\n", 1)[0]?.slice(0, 300);
  const last = events.findLast(
    (event) => nameAt(event, "action") !== undefined || nameAt(event, "tool_name") !== undefined,
  );
  const name = nameAt(last, "action") ?? nameAt(last, "tool_name");
  return name === "finish" || name === "reject" ? name : undefined;
}

/** What the row has beyond the conversation and the settings of the model. */
function extraOf(record: Fields): Record<string, unknown> {
  const known = ["history", "instruction", "metadata", "messages", "instance", "metrics", "model_id"];
  const metadata = fieldsAt(record, "metadata");
  const cost = numberAt(record, "metrics", "accumulated_cost");
  const settings = ["agent_class", "dataset", "data_split", "max_iterations", "hub"]
    .map((key) => [key, metadata?.[key]] as const)
    .filter(([, value]) => typeof value === "string" || typeof value === "number");
  return {
    ...Object.fromEntries(Object.entries(without(record, ...known)).filter(([, value]) => value !== null)),
    ...Object.fromEntries(settings),
    ...(cost === undefined ? {} : { accumulated_cost: cost }),
  };
}
