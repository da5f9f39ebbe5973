import { dirname, resolve } from "node:path";
import { Refusal, type FileAdapter } from "../parts/adapter.ts";
import {
  at,
  booleanAt,
  countAt,
  fieldsAt,
  isFields,
  listAt,
  nameAt,
  numberAt,
  type Fields,
} from "../parts/untrusted.ts";
import { attributeSpan, nanosAt } from "./attributes.ts";
import { parsedText, turnsIn } from "./messages.ts";
import { readTraces, type TracePart } from "./readTraces.ts";
import { traceRun } from "./records.ts";
import { traceAbsent, traceInferred, type Span } from "./spans.ts";

/**
 * Traces of MLflow as JSON, of its second and its third version, and `traces.json` of an artifact store, which has the steps
 * alone. One trace is one rollout.
 */
export const mlflow: FileAdapter = {
  name: "mlflow",
  title: "MLflow trace",
  note: {
    writer: "MLflow: traces",
    files: "`*.json`, `*.jsonl`, `traces/<trace>/artifacts/traces.json`",
    verdict: "none: `--pass-when`; feedback on the trace is components",
  },
  source: "mlflow mlflow/entities/{trace,trace_info,span,assessment}.py to_dict",
  provides: "rollouts",
  unit: "file",
  detect: async (file) => {
    if (!file.head.includes('"spans"') && !file.head.includes('"info"')) return false;
    const first = (await file.firstRecord()) ?? (await file.document());
    return isTrace(Array.isArray(first) ? first[0] : first);
  },
  runOf: (file) => {
    const [artifacts, , traces, experiment] = file.folders;
    // The store has a folder for each trace, in the folder of their experiment.
    if (file.name !== "traces.json" || artifacts !== "artifacts" || traces !== "traces")
      return traceRun(file);
    return { name: `experiment-${experiment ?? "0"}`, path: resolve(dirname(file.path), "../..") };
  },
  splitOf: () => "selection",
  read: (file) => readTraces(file, partsOf),
  absent: traceAbsent,
  inferred: { ...traceInferred, components: "feedback on the trace that is a number or a boolean" },
};

const idOf = (trace: unknown): string | undefined =>
  nameAt(trace, "info", "trace_id") ??
  nameAt(trace, "info", "request_id") ??
  nameAt(parsedText(at(spansOf(trace)?.[0], "attributes", "mlflow.traceRequestId")));

const spansOf = (trace: unknown): readonly unknown[] | undefined =>
  listAt(trace, "data", "spans") ?? listAt(trace, "spans");

const isTrace = (value: unknown): value is Fields =>
  isFields(value) && idOf(value) !== undefined && spansOf(value) !== undefined;

function partsOf(value: unknown): readonly TracePart[] {
  const trace = idOf(value);
  if (!isTrace(value) || trace === undefined)
    throw new Refusal("a trace needs info with its id, and data with spans");
  const spans = (spansOf(value) ?? []).filter(isFields);
  const assessments = (listAt(value, "info", "assessments") ?? []).filter(isFields);
  return [
    {
      trace,
      scores: feedbackIn(assessments),
      extra: {
        tags: at(value, "info", "tags"),
        assessments,
        state: at(value, "info", "state") ?? at(value, "info", "status"),
      },
    },
    ...spans.map((span, i) => ({ trace, span: spanOf(span, i) })),
  ];
}

/** Feedback on the whole trace by its names; what a person expects is no feedback. */
function feedbackIn(assessments: readonly Fields[]): Record<string, number> {
  return Object.fromEntries(
    assessments.flatMap((one): [string, number][] => {
      const name = nameAt(one, "assessment_name") ?? nameAt(one, "name");
      const value = numberAt(one, "feedback", "value") ?? booleanAt(one, "feedback", "value");
      const isWhole = nameAt(one, "span_id") === undefined && one["valid"] !== false;
      return name === undefined || value === undefined || !isWhole ? [] : [[name, Number(value)]];
    }),
  );
}

function spanOf(span: Fields, index: number): Span {
  const name = nameAt(span, "name") ?? "";
  // Every attribute of MLflow's own is JSON in a text.
  const attributes = Object.fromEntries(
    Object.entries(fieldsAt(span, "attributes") ?? {}).map(([key, value]) => [key, parsedText(value)]),
  );
  const type = nameAt(attributes, "mlflow.spanType");
  const [input, output] = [attributes["mlflow.spanInputs"], attributes["mlflow.spanOutputs"]];
  const read = attributeSpan(attributes, [], name);
  const isCall = type === "CHAT_MODEL" || type === "LLM";
  return {
    ...read,
    id: nameAt(span, "span_id") ?? nameAt(span, "context", "span_id") ?? `#${index}`,
    parent: nameAt(span, "parent_span_id") ?? nameAt(span, "parent_id"),
    name,
    tool: type === "TOOL" ? name : read.tool,
    start: timeOf(span, "start_time"),
    end: timeOf(span, "end_time"),
    model: read.model ?? nameAt(output, "model") ?? nameAt(input, "model"),
    tokens:
      countAt(attributes, "mlflow.chat.tokenUsage", "output_tokens") ??
      countAt(output, "usage", "completion_tokens") ??
      read.tokens,
    finish: read.finish ?? nameAt(output, "choices", 0, "finish_reason"),
    error: errorOf(span),
    ...(isCall ? { given: turnsIn(input, "user"), gave: turnsIn(output, "assistant") } : {}),
    input: input ?? read.input,
    output: output ?? read.output,
  };
}

/** Nanoseconds under a name of either version. */
const timeOf = (span: Fields, key: string): number | undefined =>
  nanosAt(span, `${key}_unix_nano`) ?? nanosAt(span, key);

function errorOf(span: Fields): string | undefined {
  const code = nameAt(span, "status_code") ?? nameAt(span, "status", "code") ?? "";
  if (!code.endsWith("ERROR")) return undefined;
  return nameAt(span, "status_message") ?? nameAt(span, "status", "message") ?? "no message";
}
