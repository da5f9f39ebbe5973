import { Refusal, type Draft, type Entry, type FileAdapter, type ForeignFile } from "../parts/adapter.ts";
import { instantAt, timeAt } from "../parts/times.ts";
import {
  booleanAt,
  countAt,
  fieldsAt,
  idAt,
  isFields,
  listAt,
  nameAt,
  numberAt,
  type Fields,
} from "../parts/untrusted.ts";
import { parsedText, turnsIn } from "./messages.ts";
import { gatheredEntries, traceRecords, traceRun, type Gathered, type TraceRecord } from "./records.ts";
import { traceAbsent, traceDraft, traceInferred, type Span } from "./spans.ts";

/** Traces of Langfuse with their observations and scores, as its page and its API give them. One trace is one rollout. */
export const langfuse: FileAdapter = {
  name: "langfuse",
  title: "Langfuse trace",
  note: {
    writer: "Langfuse: a trace with its observations",
    files: "`*.json`, `*.jsonl`",
    verdict: "none: `--pass-when`; scores of the trace are components",
  },
  source:
    "langfuse@62751446 worker/src/__tests__/chatml/framework-traces/*.trace.json; GET /api/public/traces/{id}",
  provides: "rollouts",
  unit: "file",
  detect: async (file) => {
    if (!file.head.includes('"observations"')) return false;
    const first = (await file.firstRecord()) ?? (await file.document());
    return traceIn(Array.isArray(first) ? first[0] : first) !== undefined;
  },
  runOf: traceRun,
  splitOf: () => "selection",
  read,
  absent: traceAbsent,
  inferred: { ...traceInferred, components: "scores of the trace that are numbers or booleans" },
};

interface Found {
  readonly trace: Fields;
  readonly observations: readonly unknown[];
}

/** The trace in what the page gives (beside its observations) or the API gives (with them inside). */
function traceIn(value: unknown): Found | undefined {
  const trace = fieldsAt(value, "trace") ?? fieldsAt(value);
  const observations = listAt(value, "observations");
  if (trace === undefined || observations === undefined) return undefined;
  if (nameAt(trace, "id") === undefined || timeAt(trace, "timestamp") === undefined) return undefined;
  return observations.every((one) => nameAt(one, "type") !== undefined && "startTime" in Object(one))
    ? { trace, observations }
    : undefined;
}

async function* read(file: ForeignFile): AsyncGenerator<Entry> {
  const gathered: Gathered[] = [];
  const problems: TraceRecord[] = [];
  for await (const item of traceRecords(file)) {
    if (!("value" in item)) problems.push(item);
    else gathered.push({ record: item.record, drafts: () => draftsOf(item.value) });
  }
  yield* gatheredEntries(gathered, problems);
}

function draftsOf(value: unknown): readonly Draft[] {
  const found = traceIn(value);
  if (found === undefined)
    throw new Refusal("a trace needs an id, a timestamp and observations, each with a type and a startTime");
  const { trace, observations } = found;
  const scores = (listAt(trace, "scores") ?? []).filter(isFields);
  const draft = traceDraft({
    id: nameAt(trace, "id") ?? "",
    spans: observations.filter(isFields).map(spanOf),
    scores: numbersOf(scores),
    input: parsedText(trace["input"]),
    output: parsedText(trace["output"]),
    extra: {
      name: trace["name"],
      session: trace["sessionId"],
      tags: trace["tags"],
      release: trace["release"],
      version: trace["version"],
      scores: scores.map((score) => ({
        name: score["name"],
        value: score["value"] ?? score["stringValue"],
        text: score["stringValue"],
        source: score["source"],
        comment: score["comment"],
        observation: score["observationId"],
      })),
      metadata: parsedText(trace["metadata"]),
    },
  });
  if (draft === undefined) throw new Refusal("no observation of the trace has messages of a model");
  return [draft];
}

/** Scores of the whole trace by their names; of two with one name the later one counts. */
function numbersOf(scores: readonly Fields[]): Record<string, number> {
  const whole = scores.filter((score) => (score["observationId"] ?? null) === null);
  return Object.fromEntries(
    whole.flatMap((score): [string, number][] => {
      const [name, value] = [nameAt(score, "name"), numberAt(score, "value") ?? booleanAt(score, "value")];
      // A category has a number too, which is an index and no score.
      return name === undefined || value === undefined || nameAt(score, "dataType") === "CATEGORICAL"
        ? []
        : [[name, Number(value)]];
    }),
  );
}

/** A step of a trace; its place counts where it has no id. */
export function spanOf(one: Fields, index: number): Span {
  const type = (nameAt(one, "type") ?? "").toUpperCase();
  const name = nameAt(one, "name") ?? "";
  const [input, output] = [parsedText(one["input"]), parsedText(one["output"])];
  return {
    id: idAt(one, "id") ?? `#${index}`,
    parent: nameAt(one, "parentObservationId"),
    name,
    tool: type === "TOOL" ? name : undefined,
    start: instantAt(one, "startTime"),
    end: instantAt(one, "endTime"),
    model: nameAt(one, "model"),
    tokens: countAt(one, "usageDetails", "output") ?? countAt(one, "usage", "output"),
    error: nameAt(one, "level") === "ERROR" ? (nameAt(one, "statusMessage") ?? "no message") : undefined,
    ...(type === "GENERATION" ? { given: turnsIn(input, "user"), gave: turnsIn(output, "assistant") } : {}),
    finish:
      type === "GENERATION"
        ? (nameAt(output, "finish_reason") ??
          nameAt(output, "choices", 0, "finish_reason") ??
          nameAt(output, 0, "finish_reason"))
        : undefined,
    input,
    output,
  };
}
