import * as z from "zod";
import { decisions } from "../words/decisions.ts";
import { outcomes } from "../model/outcomes.ts";
import { FailureClass } from "../model/failureClass.ts";
import { ApiVersion, Name, ProjectPath } from "./common.ts";

const Field = z.string().min(1).max(200).describe("A column, a key, or a dotted path into the row.");

/** What a status word of the other tool says here. */
const StatusMeaning = z.union([
  z.enum([...decisions, "undecided"]),
  z.strictObject({
    decision: z.enum([...decisions, "undecided"]).default("undecided"),
    failure: FailureClass.optional(),
  }),
]);
type StatusMeaning = z.infer<typeof StatusMeaning>;

const MetricField = z.strictObject({
  field: Field,
  name: z
    .string()
    .min(1)
    .max(100)
    .optional()
    .describe("Its name here; the field's own where it is not given."),
  direction: z.enum(["higher", "lower"]).optional().describe("Which way is better."),
  unit: z.string().min(1).max(20).optional(),
});

const tableFormats = ["jsonl", "json", "csv", "tsv"] as const;

/** `*.evidence.yaml` with kind Lineage: how to read a ledger of runs that no adapter knows. */
export const LineageMapping = z.strictObject({
  apiVersion: ApiVersion,
  kind: z.literal("Lineage"),
  name: Name.describe("The lineage's name, and its domain where none is given."),
  source: ProjectPath.optional().describe(
    "The ledger, beside this file; the one that is imported where it is not given.",
  ),
  format: z.enum(tableFormats).optional().describe("By the file's ending where it is not given."),
  rows: Field.optional().describe("The list of rows inside a JSON document."),
  node: z.strictObject({
    id: Field,
    parent: z
      .union([Field, z.strictObject({ rule: z.enum(["last-kept", "previous"]) })])
      .optional()
      .describe(
        "One id or a list of ids; or a rule, for a ledger whose trials were made from the last one kept.",
      ),
    title: Field.optional(),
    note: Field.optional().describe("Why it was decided so."),
    at: Field.optional().describe("ISO 8601, or seconds or milliseconds since 1970."),
  }),
  metric: MetricField.optional().describe("What the ledger decides by."),
  metrics: z.array(MetricField).default([]),
  status: z
    .strictObject({
      field: Field,
      words: z
        .record(z.string(), StatusMeaning)
        .default({})
        .describe("Decision of each word, beside those that are known everywhere (keep, discard, crash …)."),
    })
    .optional(),
  files: z
    .record(ProjectPath, Field)
    .default({})
    .describe("Path in the version, and the field that holds its text."),
  outcomes: z
    .strictObject({
      source: ProjectPath.describe("The table of trials, beside this file."),
      format: z.enum(tableFormats).optional(),
      rows: Field.optional(),
      node: Field.describe("Whose trial it is: the id of the run."),
      item: Field,
      outcome: Field,
      words: z
        .record(z.string(), z.enum(outcomes))
        .default({})
        .describe("Outcome of each word, beside true, false, pass, passed, fail, failed."),
    })
    .optional()
    .describe("One row for each trial of an item: gives a solve rate with its interval."),
});
export type LineageMapping = z.infer<typeof LineageMapping>;

/** Whether the text of a mapping file says that it is one of a lineage; mappings of evidence have the same ending. */
export const saysLineage = (text: string): boolean => /^kind:\s*["']?Lineage["']?\s*(#.*)?$/m.test(text);
