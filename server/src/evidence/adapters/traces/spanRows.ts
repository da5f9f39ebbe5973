import { Refusal, type FileAdapter } from "../parts/adapter.ts";
import { instantAt } from "../parts/times.ts";
import { countAt, fieldsAt, isFields, listAt, nameAt, textAt, type Fields } from "../parts/untrusted.ts";
import { attributeSpan, type SpanEvent } from "./attributes.ts";
import { parsedText, turnsIn } from "./messages.ts";
import { readTraces, type TracePart } from "./readTraces.ts";
import { traceRun } from "./records.ts";
import { traceAbsent, traceInferred } from "./spans.ts";

/** What the formats whose records are steps of traces, one each, have in common. */
function rowAdapter(
  format: Pick<FileAdapter, "name" | "title" | "source"> & { readonly writer: string },
  isRow: (value: unknown) => boolean,
  partOf: (row: Fields) => TracePart | undefined,
): FileAdapter {
  const { writer, ...rest } = format;
  return {
    ...rest,
    note: { writer, files: "`*.jsonl`, `*.json`", verdict: "none: `--pass-when`" },
    provides: "rollouts",
    unit: "file",
    detect: async (file) => {
      const first = (await file.firstRecord()) ?? (await file.document());
      return isRow(Array.isArray(first) ? first[0] : first);
    },
    runOf: traceRun,
    splitOf: () => "selection",
    read: (file) =>
      readTraces(file, (value) => {
        const part = isFields(value) ? partOf(value) : undefined;
        if (part === undefined) throw new Refusal("a row needs the ids of its trace and of itself");
        return [part];
      }),
    absent: { ...traceAbsent, components: "scores are not in the rows" },
    inferred: traceInferred,
  };
}

/** Spans of Phoenix as JSON: with attributes inside, or flat as a table of its client has them. */
export const phoenix = rowAdapter(
  {
    name: "phoenix",
    title: "Phoenix spans",
    writer: "Phoenix: exported spans (OpenInference)",
    source: "phoenix client spans.get_spans_dataframe; GET /v1/projects/{id}/spans",
  },
  (value) => contextOf(value) !== undefined && "span_kind" in Object(value),
  (row) => {
    const ids = contextOf(row);
    if (ids === undefined) return undefined;
    const inside = fieldsAt(row, "attributes");
    const flat = Object.entries(row).filter(([key, v]) => key.startsWith("attributes.") && v !== null);
    const attributes =
      inside ?? Object.fromEntries(flat.map(([key, value]) => [key.slice("attributes.".length), value]));
    const name = nameAt(row, "name") ?? "";
    const kind = textAt(row, "span_kind") ?? "";
    const events = (listAt(row, "events") ?? []).map((event): SpanEvent => ({
      name: nameAt(event, "name") ?? "",
      attributes: fieldsAt(event, "attributes") ?? {},
    }));
    return {
      trace: ids.trace,
      span: {
        id: ids.span,
        parent: nameAt(row, "parent_id"),
        name,
        start: instantAt(row, "start_time"),
        end: instantAt(row, "end_time"),
        error:
          nameAt(row, "status_code") === "ERROR"
            ? (nameAt(row, "status_message") ?? "no message")
            : undefined,
        ...attributeSpan({ "openinference.span.kind": kind, ...attributes }, events, name),
      },
    };
  },
);

function contextOf(row: unknown): { readonly trace: string; readonly span: string } | undefined {
  const trace = nameAt(row, "context", "trace_id") ?? nameAt(row, "context.trace_id");
  const span = nameAt(row, "context", "span_id") ?? nameAt(row, "context.span_id");
  return trace === undefined || span === undefined ? undefined : { trace, span };
}

/** Rows of Logfire's table of records as JSON. */
export const logfire = rowAdapter(
  {
    name: "logfire",
    title: "Logfire records",
    writer: "Logfire: rows of `records`",
    source: "logfire docs/reference/sql.md records",
  },
  (value) =>
    ["trace_id", "span_id", "span_name", "start_timestamp"].every(
      (key) => nameAt(value, key) !== undefined,
    ) && "attributes" in Object(value),
  (row) => {
    const [trace, id, name] = [
      nameAt(row, "trace_id"),
      nameAt(row, "span_id"),
      nameAt(row, "span_name") ?? "",
    ];
    if (trace === undefined || id === undefined) return undefined;
    const attributes = fieldsAt(parsedText(row["attributes"])) ?? {};
    // Pydantic AI wrote the messages as a list of events.
    const events = listAt(parsedText(attributes["all_messages_events"] ?? attributes["events"]));
    const read = attributeSpan(attributes, [], name);
    const choice = events?.findLast((event) => nameAt(event, "event.name") === "gen_ai.choice");
    return {
      trace,
      extra: { service: row["service_name"] },
      span: {
        id,
        parent: nameAt(row, "parent_span_id"),
        name,
        start: instantAt(row, "start_timestamp"),
        end: instantAt(row, "end_timestamp"),
        error: row["is_exception"] === true ? (nameAt(row, "exception_message") ?? "no message") : undefined,
        ...read,
        ...(events === undefined || read.tool !== undefined
          ? {}
          : {
              given: turnsIn(
                events.filter((event) => event !== choice),
                "user",
              ),
              gave: turnsIn(choice === undefined ? [] : [choice], "assistant"),
            }),
      },
    };
  },
);

/** Calls of Weave as JSON. What a model call is, its messages and its choices say. */
export const weave = rowAdapter(
  {
    name: "weave",
    title: "Weave calls",
    writer: "Weave: exported calls",
    source: "weave weave/trace_server/trace_server_interface.py CallSchema",
  },
  (value) =>
    ["op_name", "trace_id", "started_at"].every((key) => nameAt(value, key) !== undefined) &&
    "inputs" in Object(value),
  (row) => {
    const [trace, id] = [nameAt(row, "trace_id"), nameAt(row, "id")];
    if (trace === undefined || id === undefined) return undefined;
    const [input, output] = [row["inputs"], row["output"] ?? undefined];
    const isCall =
      listAt(input, "messages") !== undefined &&
      isFields(output) &&
      ("choices" in output || "content" in output);
    const [[model, usage] = [undefined, undefined]] = Object.entries(fieldsAt(row, "summary", "usage") ?? {});
    return {
      trace,
      span: {
        id,
        parent: nameAt(row, "parent_id"),
        name: nameAt(row, "op_name") ?? "",
        start: instantAt(row, "started_at"),
        end: instantAt(row, "ended_at"),
        error: nameAt(row, "exception"),
        ...(isCall
          ? {
              model: nameAt(output, "model") ?? model,
              tokens:
                countAt(output, "usage", "completion_tokens") ??
                countAt(usage, "completion_tokens") ??
                countAt(usage, "output_tokens"),
              finish: nameAt(output, "choices", 0, "finish_reason") ?? nameAt(output, "stop_reason"),
              given: turnsIn(input, "user"),
              gave: turnsIn(output, "assistant"),
            }
          : {}),
        input,
        output,
      },
    };
  },
);
