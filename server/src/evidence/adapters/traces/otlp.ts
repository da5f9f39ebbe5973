import { Refusal, type Entry, type FileAdapter, type ForeignFile } from "../parts/adapter.ts";
import { at, isFields, listAt, nameAt, numberAt, textAt, type Fields } from "../parts/untrusted.ts";
import { attributeSpan, type SpanEvent } from "./attributes.ts";
import { gatheredEntries, traceRecords, traceRun, type TraceRecord } from "./records.ts";
import { traceAbsent, traceDraft, traceInferred, type Span } from "./spans.ts";

/**
 * Spans in OpenTelemetry's own JSON, as collectors, SDKs and Tempo write them: exports one per line or one per document. One
 * trace is one rollout.
 */
export const otlp: FileAdapter = {
  name: "otlp",
  title: "OpenTelemetry trace",
  note: {
    writer: "OpenTelemetry (GenAI, OpenInference, OpenLLMetry): OTLP JSON",
    files: "`*.json`, `*.jsonl` with `resourceSpans`",
    verdict: "none: `--pass-when`",
  },
  source:
    "opentelemetry-proto trace/v1/trace.proto; semantic-conventions gen-ai; openinference spec/semantic_conventions.md; tempo exports (batches)",
  provides: "rollouts",
  unit: "file",
  detect: async (file) => {
    if (!/"(?:resourceSpans|batches)"/.test(file.head.toString("latin1"))) return false;
    const first = (await file.firstRecord()) ?? (await file.document());
    return resourcesIn(Array.isArray(first) ? first[0] : first) !== undefined;
  },
  runOf: traceRun,
  splitOf: () => "selection",
  read,
  absent: { ...traceAbsent, components: "a trace states no scores" },
  inferred: traceInferred,
};

/** The spans of an export by the resource that sent them; Tempo calls them batches. */
const resourcesIn = (value: unknown): readonly unknown[] | undefined => {
  const found = listAt(value, "resourceSpans") ?? listAt(value, "batches");
  return found?.some((one) => scopesIn(one) !== undefined) === true ? found : undefined;
};

const scopesIn = (resource: unknown): readonly unknown[] | undefined =>
  listAt(resource, "scopeSpans") ?? listAt(resource, "instrumentationLibrarySpans");

interface Found {
  readonly record: number;
  readonly spans: Span[];
  readonly service: string | undefined;
}

async function* read(file: ForeignFile): AsyncGenerator<Entry> {
  const traces = new Map<string, Found>();
  const problems: TraceRecord[] = [];
  let last = 0;
  for await (const item of traceRecords(file)) {
    if (!("value" in item)) {
      problems.push(item);
      continue;
    }
    last = item.record;
    const resources = resourcesIn(item.value);
    if (resources === undefined) problems.push({ record: last, problem: "an export needs resourceSpans" });
    else for (const resource of resources) addSpans(traces, resource, item.record);
  }
  const gathered = [...traces].map(([id, { record, spans, service }]) => ({
    record,
    draft: traceDraft({ id, spans, extra: { service } }),
  }));
  const silent = gathered.filter(({ draft }) => draft === undefined).length;
  yield* gatheredEntries(
    gathered.flatMap(({ record, draft }) => (draft === undefined ? [] : [{ record, drafts: () => [draft] }])),
    silent === 0
      ? problems
      : [
          ...problems,
          {
            record: last + 1,
            problem: `${silent} of ${gathered.length} traces have no messages of a model: they are no rollouts`,
          },
        ],
  );
}

function addSpans(traces: Map<string, Found>, resource: unknown, record: number): void {
  const service = nameAt(attributesOf(at(resource, "resource")), "service.name");
  for (const scope of scopesIn(resource) ?? [])
    for (const span of listAt(scope, "spans") ?? []) {
      const trace = nameAt(span, "traceId");
      if (!isFields(span) || trace === undefined) throw new Refusal("a span needs a traceId");
      const found = traces.get(trace) ?? { record, spans: [], service };
      traces.set(trace, found);
      found.spans.push(spanOf(span, found.spans.length));
    }
}

function spanOf(span: Fields, index: number): Span {
  const name = textAt(span, "name") ?? "";
  const code = at(span, "status", "code");
  const events = (listAt(span, "events") ?? []).map((event): SpanEvent => ({
    name: textAt(event, "name") ?? "",
    attributes: attributesOf(event),
  }));
  return {
    id: nameAt(span, "spanId") ?? `#${index}`,
    parent: nameAt(span, "parentSpanId"),
    name,
    start: millisOf(at(span, "startTimeUnixNano")),
    end: millisOf(at(span, "endTimeUnixNano")),
    error:
      code === 2 || code === "STATUS_CODE_ERROR"
        ? (nameAt(span, "status", "message") ?? "no message")
        : undefined,
    ...attributeSpan(attributesOf(span), events, name),
  };
}

/** Nanoseconds since 1970, as a text or a number. */
function millisOf(nanos: unknown): number | undefined {
  const text =
    typeof nanos === "number"
      ? nanos
      : typeof nanos === "string" && /^\d+$/.test(nanos)
        ? Number(nanos)
        : undefined;
  // 0 stands for a time that is not known; the last one is in the year 3000.
  return text === undefined || text <= 0 || text > 32_503_680_000e9 ? undefined : text / 1e6;
}

function attributesOf(holder: unknown): Fields {
  return Object.fromEntries(
    (listAt(holder, "attributes") ?? []).flatMap((one): [string, unknown][] => {
      const key = nameAt(one, "key");
      return key === undefined ? [] : [[key, valueOf(at(one, "value"))]];
    }),
  );
}

/** The value in OpenTelemetry's wrapping, which names its type. */
function valueOf(value: unknown): unknown {
  if (!isFields(value)) return value;
  const array = listAt(value, "arrayValue", "values");
  if (array !== undefined) return array.map(valueOf);
  const pairs = listAt(value, "kvlistValue", "values");
  if (pairs !== undefined) return attributesOf({ attributes: pairs });
  const whole = at(value, "intValue");
  if (whole !== undefined) return typeof whole === "string" ? Number(whole) : whole;
  return textAt(value, "stringValue") ?? numberAt(value, "doubleValue") ?? at(value, "boolValue");
}
