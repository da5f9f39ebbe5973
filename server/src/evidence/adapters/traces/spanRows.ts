import type { FileAdapter } from "../parts/adapter.ts";
import { instantAt } from "../parts/times.ts";
import { at, booleanAt, countAt, fieldsAt, isFields, listAt, nameAt, numberAt } from "../parts/untrusted.ts";
import { attributeSpan } from "./attributes.ts";
import { parsedText, turnsIn } from "./messages.ts";
import { rowAdapter } from "./rowAdapter.ts";
import type { Stated } from "./stated.ts";

/** Rows of Logfire's table of records. */
export const logfire: FileAdapter = rowAdapter(
  {
    name: "logfire",
    title: "Logfire records",
    writer: "Logfire: rows of `records`",
    files: "`*.jsonl`, `*.json`, `*.csv`, `*.parquet`",
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
        error: isTrue(row["is_exception"]) ? (nameAt(row, "exception_message") ?? "no message") : undefined,
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

/** A truth value as JSON or as a cell of a table. */
const isTrue = (value: unknown): boolean => value === true || /^true$/i.test(nameAt(value) ?? "");

/** Calls of Weave as JSON, with their feedback. What a model call is, its messages and its choices say. */
export const weave: FileAdapter = rowAdapter(
  {
    name: "weave",
    title: "Weave calls",
    writer: "Weave: exported calls and feedback",
    files: "`*.jsonl`, `*.json`",
    source:
      "weave weave/trace_server/trace_server_interface.py CallSchema, FeedbackCreateReq; interface/feedback_types.py",
    statedIn: feedbackIn,
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
      stated: (listAt(row, "summary", "weave", "feedback") ?? []).flatMap(feedbackIn),
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

/**
 * Feedback on a call. What a person chose in a column, and what a scorer returned, are scores as far as they are numbers;
 * reactions and notes are only kept.
 */
function feedbackIn(record: unknown): Stated[] {
  const type = nameAt(record, "feedback_type");
  const span = /\/call\/([^/:?]+)$/.exec(nameAt(record, "weave_ref") ?? "")?.[1];
  if (type === undefined || span === undefined) return [];
  const name = type.replace(/^wandb\.(?:annotation|runnable)\./, "");
  const payload = at(record, "payload");
  const said = at(payload, "value") ?? at(payload, "output");
  const more = { type, by: nameAt(record, "creator"), payload };
  const parts = isFields(said) ? Object.entries(said) : [];
  const scores = parts.flatMap(([key, value]): Stated[] => {
    const number = numberIn(value);
    return number === undefined ? [] : [{ span, name: `${name}.${key}`, value: number, more: {} }];
  });
  return [{ span, name, value: numberIn(said), more }, ...scores];
}

const numberIn = (value: unknown): number | undefined => {
  const found = numberAt(value) ?? booleanAt(value);
  return found === undefined ? undefined : Number(found);
};
