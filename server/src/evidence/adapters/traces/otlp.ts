import { Refusal, type FileAdapter } from "../parts/adapter.ts";
import { at, isFields, listAt, nameAt, numberAt, textAt, type Fields } from "../parts/untrusted.ts";
import { attributeSpan, nanosAt, type SpanEvent } from "./attributes.ts";
import { readTraces, type TracePart } from "./readTraces.ts";
import { traceRun } from "./records.ts";
import { traceAbsent, traceInferred, type Span } from "./spans.ts";

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
  read: (file) => readTraces(file, partsOf),
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

function partsOf(value: unknown): readonly TracePart[] {
  const resources = resourcesIn(value);
  if (resources === undefined) throw new Refusal("an export needs resourceSpans");
  return resources.flatMap((resource) => {
    const service = nameAt(attributesOf(at(resource, "resource")), "service.name");
    const spans = (scopesIn(resource) ?? []).flatMap((scope) => listAt(scope, "spans") ?? []);
    return spans.map((span): TracePart => {
      const [trace, id] = [nameAt(span, "traceId"), nameAt(span, "spanId")];
      if (!isFields(span) || trace === undefined || id === undefined)
        throw new Refusal("a span needs a traceId and a spanId");
      return { trace, span: spanOf(span, id), extra: { service } };
    });
  });
}

function spanOf(span: Fields, id: string): Span {
  const name = textAt(span, "name") ?? "";
  const code = at(span, "status", "code");
  const events = (listAt(span, "events") ?? []).map((event): SpanEvent => ({
    name: textAt(event, "name") ?? "",
    attributes: attributesOf(event),
  }));
  return {
    id,
    parent: nameAt(span, "parentSpanId"),
    name,
    start: nanosAt(span, "startTimeUnixNano"),
    end: nanosAt(span, "endTimeUnixNano"),
    error:
      code === 2 || code === "STATUS_CODE_ERROR"
        ? (nameAt(span, "status", "message") ?? "no message")
        : undefined,
    ...attributeSpan(attributesOf(span), events, name),
  };
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
