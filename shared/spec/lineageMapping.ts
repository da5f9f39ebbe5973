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
    decision: z
      .enum([...decisions, "undecided"])
      .default("undecided")
      .describe("The decision that the word means."),
    failure: FailureClass.optional().describe("How the run failed, if the word says so."),
  }),
]);
type StatusMeaning = z.infer<typeof StatusMeaning>;

const MetricField = z.strictObject({
  field: Field,
  name: z.string().min(1).max(100).optional().describe("Its name here; by default the field's name."),
  direction: z.enum(["higher", "lower"]).optional().describe("Which way is better."),
  unit: z.string().min(1).max(20).optional().describe("What it is counted in, e.g. % or s."),
});

const tableFormats = ["jsonl", "json", "csv", "tsv"] as const;

/** `*.evidence.yaml` with kind Lineage: how to read a ledger of runs that no adapter knows. */
export const LineageMapping = z.strictObject({
  apiVersion: ApiVersion,
  kind: z.literal("Lineage"),
  name: Name.describe("The lineage's name, and by default its domain."),
  source: ProjectPath.optional().describe(
    "The ledger, beside this file; by default the file that is being imported.",
  ),
  format: z.enum(tableFormats).optional().describe("By default EvoTrainer goes by the file's ending."),
  rows: Field.optional().describe("The list of rows inside a JSON document."),
  node: z
    .strictObject({
      id: Field,
      parent: z
        .union([
          Field,
          z.strictObject({
            rule: z.enum(["last-kept", "previous"]).describe("Which earlier row is the parent."),
          }),
        ])
        .optional()
        .describe(
          "One id or a list of ids; or a rule, for a ledger whose trials were each made from the last one kept.",
        ),
      title: Field.optional(),
      note: Field.optional().describe("The reason for the decision."),
      plan: Field.optional().describe(
        "What the run was to change, as it was written before the run: the exam of a proposer shows it.",
      ),
      at: Field.optional().describe("ISO 8601, or seconds or milliseconds since 1970."),
    })
    .describe("Where a row says which run it is and what that was made from."),
  metric: MetricField.optional().describe("What the ledger decides by."),
  metrics: z.array(MetricField).default([]).describe("What else the ledger measured."),
  status: z
    .strictObject({
      field: Field,
      words: z
        .record(z.string(), StatusMeaning)
        .default({})
        .describe(
          "The decision that each word means, in addition to the words that EvoTrainer knows (keep, discard, crash …).",
        ),
    })
    .optional()
    .describe("Where a row says what was decided."),
  files: z
    .record(ProjectPath, Field)
    .default({})
    .describe(
      "Path in the version, and the field that has its text; for a path that ends in .json also one that has settings.",
    ),
  outcomes: z
    .strictObject({
      source: ProjectPath.describe("The table of trials, beside this file."),
      format: z.enum(tableFormats).optional().describe("By default EvoTrainer goes by the file's ending."),
      rows: Field.optional(),
      node: Field.describe("Whose trial it is: the id of the run."),
      item: Field,
      outcome: Field,
      words: z
        .record(z.string(), z.enum(outcomes))
        .default({})
        .describe(
          "The outcome that each word means, in addition to true, false, pass, passed, fail, failed.",
        ),
    })
    .optional()
    .describe("One row for each trial of an item, which gives a solve rate with its interval."),
});
export type LineageMapping = z.infer<typeof LineageMapping>;

/** Whether the text of a mapping file says that it is one of a lineage; mappings of evidence have the same ending. */
export const saysLineage = (text: string): boolean => /^kind:\s*["']?Lineage["']?\s*(#.*)?$/m.test(text);
