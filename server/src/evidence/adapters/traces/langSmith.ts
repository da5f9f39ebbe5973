import { Refusal, type FileAdapter } from "../parts/adapter.ts";
import { instantAt } from "../parts/times.ts";
import {
  at,
  countAt,
  fieldsAt,
  isFields,
  listAt,
  nameAt,
  numberAt,
  type Fields,
} from "../parts/untrusted.ts";
import { turnsIn } from "./messages.ts";
import { readTraces, type TracePart } from "./readTraces.ts";
import { traceRun } from "./records.ts";
import { traceAbsent, traceInferred, type Span } from "./spans.ts";

/** Runs of LangSmith: one per line, in a list, or as the SDK sends them. The runs of one trace are one rollout. */
export const langSmith: FileAdapter = {
  name: "langsmith",
  title: "LangSmith runs",
  note: {
    writer: "LangSmith: runs",
    files: "`*.jsonl`, `*.json`",
    verdict: "none: `--pass-when`; averages of feedback are components",
  },
  source:
    "langsmith-sdk@bc8dd672 python/langsmith/schemas.py Run; python/tests/integration_tests/test_data/*.json",
  provides: "rollouts",
  unit: "file",
  signature: ["run_type", "trace_id", "inputs", "outputs"],
  detect: async (file) => {
    if (!file.head.includes('"run_type"')) return false;
    const first = (await file.firstRecord()) ?? (await file.document());
    return runsIn(Array.isArray(first) ? first[0] : first).some(isRun);
  },
  runOf: traceRun,
  splitOf: () => "selection",
  read: (file) => readTraces(file, partsOf),
  absent: traceAbsent,
  inferred: { ...traceInferred, components: "averages of the feedback on the trace's first run" },
};

const isRun = (value: unknown): value is Fields =>
  isFields(value) &&
  nameAt(value, "run_type") !== undefined &&
  nameAt(value, "id") !== undefined &&
  (nameAt(value, "trace_id") !== undefined || "inputs" in value);

/** A run, or the runs that the SDK sends together: how they began, and how they ended. */
const runsIn = (value: unknown): readonly unknown[] => {
  const [begun, ended] = [listAt(value, "post"), listAt(value, "patch")];
  return begun === undefined && ended === undefined ? [value] : [...(begun ?? []), ...(ended ?? [])];
};

function partsOf(value: unknown): readonly TracePart[] {
  return runsIn(value).map((run) => {
    const id = nameAt(run, "id");
    if (!isFields(run) || id === undefined) throw new Refusal("a run needs an id");
    const trace = nameAt(run, "trace_id") ?? id;
    const isFirst = trace === id;
    return {
      trace,
      span: spanOf(run, id),
      ...(isFirst
        ? {
            scores: feedbackOf(run),
            extra: { name: run["name"], project: run["session_name"], tags: run["tags"] },
          }
        : {}),
    };
  });
}

/** The averages of the feedback on a run. */
function feedbackOf(run: Fields): Record<string, number> {
  return Object.fromEntries(
    Object.entries(fieldsAt(run, "feedback_stats") ?? {}).flatMap(([name, stats]): [string, number][] => {
      const average = numberAt(stats, "avg");
      return average === undefined || countAt(stats, "n") === 0 ? [] : [[name, average]];
    }),
  );
}

function spanOf(run: Fields, id: string): Span {
  const type = nameAt(run, "run_type");
  const name = nameAt(run, "name") ?? "";
  const [input, output] = [run["inputs"] ?? undefined, run["outputs"] ?? undefined];
  // How a run ended is sent without its type.
  const isCall =
    type === "llm" || type === "chat_model" || (type === undefined && "choices" in Object(output));
  return {
    id,
    parent: nameAt(run, "parent_run_id"),
    name,
    tool: type === "tool" ? name : undefined,
    start: instantAt(run, "start_time"),
    end: instantAt(run, "end_time"),
    model:
      nameAt(run, "extra", "metadata", "ls_model_name") ?? nameAt(run, "extra", "invocation_params", "model"),
    tokens:
      countAt(output, "usage_metadata", "output_tokens") ??
      countAt(output, "usage", "completion_tokens") ??
      countAt(output, "llm_output", "token_usage", "completion_tokens") ??
      countAt(run, "completion_tokens"),
    finish:
      nameAt(output, "choices", 0, "finish_reason") ??
      nameAt(output, "generations", 0, 0, "generation_info", "finish_reason"),
    error: nameAt(run, "error"),
    ...(isCall ? { given: turnsIn(input, "user"), gave: turnsIn(output, "assistant") } : {}),
    // The only argument of a tool stands in a text.
    input: at(input, "input") ?? input,
    output: at(output, "output") ?? output,
  };
}
