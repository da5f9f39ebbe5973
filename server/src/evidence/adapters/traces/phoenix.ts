import type { FileAdapter } from "../parts/adapter.ts";
import { readPythonLiteral } from "../parts/pythonLiteral.ts";
import { instantAt } from "../parts/times.ts";
import { fieldsAt, isFields, listAt, nameAt, numberAt, type Fields } from "../parts/untrusted.ts";
import { attributeSpan, type SpanEvent } from "./attributes.ts";
import { parsedText } from "./messages.ts";
import type { TracePart } from "./readTraces.ts";
import { rowAdapter } from "./rowAdapter.ts";
import type { Stated } from "./stated.ts";

/** Spans of Phoenix: with attributes inside, or flat as the table of its client has them, and what annotations say of them. */
export const phoenix: FileAdapter = rowAdapter(
  {
    name: "phoenix",
    title: "Phoenix spans",
    writer: "Phoenix: exported spans (OpenInference) and annotations",
    files: "`*.jsonl`, `*.json`, `*.csv`, `*.parquet`",
    source:
      "phoenix@9478f954 client spans.get_spans_dataframe, get_span_annotations_dataframe; GET /v1/projects/{id}/spans",
    statedIn: annotationIn,
    rowsIn,
  },
  (value) =>
    contextOf(value) !== undefined &&
    ("span_kind" in Object(value) || "attributes.openinference.span.kind" in Object(value)),
  partOf,
);

/** An answer of the interface holds its spans as `data`; the command line writes a trace with its spans and annotations. */
function rowsIn(record: unknown): readonly unknown[] {
  const [trace, spans] = [nameAt(record, "traceId"), listAt(record, "spans")];
  if (trace === undefined || spans === undefined) return listAt(record, "data") ?? [record];
  const annotations = (listAt(record, "annotations") ?? []).filter(isFields);
  return [...spans, ...annotations.map((one) => ({ trace_id: trace, ...one }))];
}

function contextOf(row: unknown): { readonly trace: string; readonly span: string } | undefined {
  const trace = nameAt(row, "context", "trace_id") ?? nameAt(row, "context.trace_id");
  const span = nameAt(row, "context", "span_id") ?? nameAt(row, "context.span_id");
  return trace === undefined || span === undefined ? undefined : { trace, span };
}

function partOf(row: Fields): TracePart | undefined {
  const ids = contextOf(row);
  if (ids === undefined) return ofTrace(row);
  const name = nameAt(row, "name") ?? "";
  const events = (listAt(readable(row["events"])) ?? []).map((event): SpanEvent => ({
    name: nameAt(event, "name") ?? "",
    attributes: fieldsAt(event, "attributes") ?? {},
  }));
  const kind = nameAt(row, "span_kind");
  const attributes = {
    ...(kind === undefined ? {} : { "openinference.span.kind": kind }),
    ...attributesIn(row),
  };
  return {
    trace: ids.trace,
    stated: (listAt(row, "annotations") ?? []).flatMap((one) =>
      annotationIn(isFields(one) ? { span_id: ids.span, ...one } : one),
    ),
    span: {
      id: ids.span,
      parent: nameAt(row, "parent_id"),
      name,
      start: instantAt(row, "start_time"),
      end: instantAt(row, "end_time"),
      error:
        nameAt(row, "status_code") === "ERROR" ? (nameAt(row, "status_message") ?? "no message") : undefined,
      ...attributeSpan(attributes, events, name),
    },
  };
}

/** An annotation of a trace as a whole. */
function ofTrace(row: Fields): TracePart | undefined {
  const [stated] = annotationIn(row);
  return stated?.trace === undefined ? undefined : { trace: stated.trace, stated: [stated] };
}

function attributesIn(row: Fields): Fields {
  const inside = fieldsAt(row, "attributes");
  if (inside !== undefined) return inside;
  const start = "attributes.";
  return Object.fromEntries(
    Object.entries(row).flatMap(([key, value]) => {
      if (!key.startsWith(start) || value === null) return [];
      // What was said stays a text, whatever it looks like.
      return [[key.slice(start.length), key.endsWith(".value") ? value : readable(value)]];
    }),
  );
}

/** A cell in which pandas wrote a list or a dictionary as Python does. */
function readable(cell: unknown): unknown {
  if (typeof cell !== "string" || !/^\s*[[{]/.test(cell)) return cell;
  const parsed = parsedText(cell);
  return typeof parsed === "string" ? (readPythonLiteral(cell) ?? cell) : parsed;
}

/** What an annotation says of a span or a trace, as the interface gives it or flat as in the client's table. */
function annotationIn(record: unknown): Stated[] {
  const name = nameAt(record, "annotation_name") ?? nameAt(record, "name");
  const span = nameAt(record, "span_id") ?? nameAt(record, "context.span_id");
  const trace = nameAt(record, "trace_id");
  const by = nameAt(record, "annotator_kind");
  if (name === undefined || by === undefined || (span === undefined && trace === undefined)) return [];
  const result = (key: string): unknown =>
    isFields(record) ? ((fieldsAt(record, "result") ?? {})[key] ?? record[`result.${key}`]) : undefined;
  const score = result("score");
  return [
    {
      ...{ trace, span, name },
      // A cell of a table is a text.
      value: numberAt(score) ?? numberAt(Number(nameAt(score) ?? NaN)),
      more: { by, label: result("label"), explanation: result("explanation") },
    },
  ];
}
