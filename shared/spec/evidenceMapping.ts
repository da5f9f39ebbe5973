import * as z from "zod";
import { MetricNames } from "./metricNames.ts";
import { ApiVersion, Name } from "./common.ts";

const recordFormats = ["jsonl", "json", "csv", "tsv", "parquet"] as const;
const RecordFormat = z.enum(recordFormats);
type RecordFormat = z.infer<typeof RecordFormat>;

const expression = (meaning: string) => z.string().min(1).max(10_000).describe(meaning);

/** How the outcome of a record is found. Both sides are said, because what is no pass need not be a failure. */
export const OutcomeMapping = z.strictObject({
  pass: expression("CEL condition: the record is a pass."),
  fail: expression("CEL condition: the record is a failure, e.g. record.score < 1."),
  unknown: expression(
    "CEL that is tried before the other two: true, or the reason as text, if the evaluator itself failed; false, null or empty text otherwise.",
  ).optional(),
});
export type OutcomeMapping = z.infer<typeof OutcomeMapping>;

/** How a list of messages becomes turns. `message` is the element, `index` its position from 0. */
export const TurnsMapping = z.strictObject({
  from: expression("CEL list: the messages, e.g. record.messages."),
  role: expression("Who speaks, per message.").default("message.role"),
  text: expression("What was said or returned, per message.").default("text(message.?content)"),
  calls: expression(
    "CEL list of {name, args}: the tool calls of a message; each after the first becomes another turn. By default toolCalls(message), unless tool is given.",
  ).optional(),
  tool: expression("Name of the one tool that a message calls, or null; instead of calls.").optional(),
  args: expression("Arguments of that call as a map, or null.").optional(),
  ok: expression("Whether the call succeeded, or null.").optional(),
  tokens: expression("Tokens of the message, or null.").optional(),
  ms: expression("Wall time of the message in milliseconds, or null.").optional(),
});
export type TurnsMapping = z.infer<typeof TurnsMapping>;

/** One CEL expression per field of the evidence contract (shared/model/rollout.ts). */
export const MappedFields = z
  .strictObject({
    id: expression("Unique within the run; by default its place in the file.").optional(),
    item: expression("The task instance; by default a fingerprint of prompt.").optional(),
    prompt: expression(
      "Text of the task. It is the first turn, and names the item if nothing else does.",
    ).optional(),
    completion: expression("Text of the policy's answer, if there is no list of messages.").optional(),
    turns: TurnsMapping.describe("The exchanges, from a list of messages.").optional(),
    outcome: OutcomeMapping.describe("Pass, fail or unknown: three conditions."),
    unknown_reason: expression("Why the outcome is unknown, if outcome.unknown says only true.").optional(),
    group: expression("The rollouts that are compared with each other.").optional(),
    sample: expression("Index within the group: a whole number.").optional(),
    step: expression("Training step: a whole number, e.g. file.step.").optional(),
    split: expression("'train', 'selection' or 'audit'.").optional(),
    reward: expression("The shaped reward that training used.").optional(),
    components: z
      .record(z.string().min(1), expression("A number."))
      .optional()
      .describe("Raw reward signals by name: a number each."),
    stop_reason: expression("Why the rollout ended.").optional(),
    tokens: expression("Tokens that the policy generated: a whole number.").optional(),
    logprob_mean: expression("Mean log-probability per generated token.").optional(),
    policy: expression("Checkpoint that generated it.").optional(),
    harness: expression("Commit of the harness that generated it.").optional(),
    seed: expression("Seed of the run: a whole number.").optional(),
    started_at: expression("ISO 8601 text, or a timestamp(..).").optional(),
    duration_ms: expression("Milliseconds, or the difference of two timestamps.").optional(),
    extra: z
      .record(z.string().min(1), expression("Any value."))
      .optional()
      .describe("Anything else worth keeping, by name."),
  })
  .superRefine((fields, context) => {
    const issue = (path: string, message: string) =>
      context.addIssue({ code: "custom", path: [path], message });
    if (fields.item === undefined && fields.prompt === undefined)
      issue("item", "Say what the task instance is: give item, or prompt.");
    if (fields.turns !== undefined && fields.completion !== undefined)
      issue("completion", "Give turns or completion, not both.");
    if (fields.turns?.calls !== undefined && fields.turns.tool !== undefined)
      issue("turns", "Give calls or tool, not both.");
  });
export type MappedFields = z.infer<typeof MappedFields>;

/**
 * `*.evidence.yaml`: how the records of a file become evidence. Expressions see `record` (the record as JSON), `file`
 * ({name, stem, folder, step}) and `line` (from 1); those of `run` and `version` see `file` alone.
 */
export const EvidenceMapping = z
  .strictObject({
    apiVersion: ApiVersion,
    kind: z.literal("Evidence"),
    name: Name.describe("The mapping's name, for `import --as`."),
    description: z.string().optional().describe("Which trainer or benchmark writes such files."),
    match: z
      .array(z.string().min(1))
      .min(1)
      .optional()
      .describe(
        "File names that it is for, such as rollouts_*.json; without them, EvoTrainer uses the mapping only when you name it.",
      ),
    records: RecordFormat.default("jsonl").describe("How a file is cut into records."),
    at: z
      .string()
      .regex(/^[^.\s]+(\.[^.\s]+)*$/, "Use a dotted path such as results.rollouts.")
      .optional()
      .describe(
        "Where the list of records lies inside a JSON document. Without it, a list is many records and anything else is one.",
      ),
    run: expression(
      "CEL over file: the name of the run that a file belongs to, e.g. file.folder; by default each file is one.",
    ).optional(),
    version: expression(
      "CEL over file: the version that a file belongs to, e.g. 'v3'; by default the run.",
    ).optional(),
    metricNames: MetricNames.optional(),
    fields: MappedFields.optional().describe(
      "One CEL expression per field; the import reports a field that you leave out as missing. Only a mapping with metricNames may lack them.",
    ),
  })
  .superRefine(({ fields, metricNames }, context) => {
    if (fields === undefined && metricNames === undefined)
      context.addIssue({
        code: "custom",
        path: ["fields"],
        message: "Say how records become evidence: give fields, or metricNames.",
      });
  });
export type EvidenceMapping = z.infer<typeof EvidenceMapping>;
