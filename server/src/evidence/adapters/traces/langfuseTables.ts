import type { FileAdapter } from "../parts/adapter.ts";
import { meanOf } from "../parts/means.ts";
import { instantAt, timeAt } from "../parts/times.ts";
import { booleanAt, isFields, listAt, nameAt, numberAt, type Fields } from "../parts/untrusted.ts";
import { spanOf } from "./langfuse.ts";
import { parsedText } from "./messages.ts";
import type { TracePart } from "./readTraces.ts";
import { rowAdapter } from "./rowAdapter.ts";
import type { Stated } from "./stated.ts";

/**
 * The tables that Langfuse's page exports: observations, whose rows are steps of traces, or traces, of which only what went in
 * and what came out is there. Its table of scores may lie beside them.
 */
export const langfuseTables: FileAdapter = rowAdapter(
  {
    name: "langfuse-table",
    title: "Langfuse table",
    writer: "Langfuse: its tables of observations or traces, and of scores",
    files: "`*-lf-observations-export-*`, `*-lf-traces-export-*` (CSV, JSON, JSONL)",
    source:
      "langfuse@62751446 worker/src/features/database-read-stream/{observation,trace,event}-stream.ts; packages/shared/src/server/utils/transforms",
    statedIn: scoreIn,
  },
  (row) => isObservation(row) || isTrace(row),
  (row) => (isObservation(row) ? ofStep(row) : isTrace(row) ? ofTrace(row) : undefined),
);

const isObservation = (row: unknown): boolean =>
  ["id", "traceId", "type"].every((key) => nameAt(row, key) !== undefined) &&
  timeAt(row, "startTime") !== undefined &&
  ["traceName", "modelParameters", "usageDetails"].some((key) => key in Object(row));

const isTrace = (row: unknown): boolean =>
  nameAt(row, "id") !== undefined &&
  timeAt(row, "timestamp") !== undefined &&
  ["bookmarked", "tags", "public"].every((key) => key in Object(row)) &&
  listAt(row, "observations") === undefined;

function ofStep(row: Fields): TracePart {
  // A cell of a table is a text, which holds JSON where the value is none.
  const read = { ...row, usageDetails: parsedText(row["usageDetails"]) };
  const span = spanOf(read, 0);
  return {
    trace: nameAt(row, "traceId") ?? "",
    span: { ...span, model: span.model ?? nameAt(row, "providedModelName") },
    stated: columnScores(row).map((score) => ({ ...score, span: span.id })),
    extra: {
      name: row["traceName"],
      session: row["sessionId"],
      tags: parsedText(row["traceTags"] ?? row["tags"]),
      release: row["release"],
    },
  };
}

function ofTrace(row: Fields): TracePart {
  const trace = nameAt(row, "id") ?? "";
  return {
    trace,
    start: instantAt(row, "timestamp"),
    input: parsedText(row["input"]),
    output: parsedText(row["output"]),
    stated: columnScores(row).map((score) => ({ ...score, trace })),
    extra: {
      name: row["name"],
      session: row["sessionId"],
      tags: parsedText(row["tags"]),
      release: row["release"],
      version: row["version"],
      metadata: parsedText(row["metadata"]),
    },
  };
}

/** Every score has a column with the list of its values, of which the mean counts; lists of words are no numbers. */
function columnScores(row: Fields): Stated[] {
  return Object.entries(row).flatMap(([name, cell]): Stated[] => {
    const values = listAt(parsedText(cell)) ?? [];
    const mean = values.every((value) => numberAt(value) !== undefined) ? meanOf(values) : null;
    return mean === null ? [] : [{ name, value: mean, more: { values } }];
  });
}

/** A row of the table of scores. A category has a number too, which is an index and no score. */
function scoreIn(row: unknown): Stated[] {
  const [name, trace, type] = [nameAt(row, "name"), nameAt(row, "traceId"), nameAt(row, "dataType")];
  if (!isFields(row) || name === undefined || trace === undefined || type === undefined) return [];
  const value =
    numberAt(row, "value") ?? booleanAt(row, "value") ?? numberAt(Number(nameAt(row, "value") ?? NaN));
  return [
    {
      ...{ trace, span: nameAt(row, "observationId"), name },
      value: value !== undefined && (type === "NUMERIC" || type === "BOOLEAN") ? Number(value) : undefined,
      more: { text: row["stringValue"], source: row["source"], comment: row["comment"] },
    },
  ];
}
