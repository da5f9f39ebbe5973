// A namespace, so that a webview carries only the part of zod that it uses.
import * as z from "zod";
import { stages } from "../../words/stages.ts";
import { shownDecisions } from "../../words/decisions.ts";
import { Diagnosed } from "../results/diagnosed.ts";
import { LabelByPeople } from "../results/people.ts";
import { PairedComparison } from "../results/pairedComparison.ts";
import { Curves, Flow, LabelShifts, Predictions, RewardMeans } from "../results/shift.ts";
import { Distrust } from "../../model/distrust.ts";
import { AuditScore } from "../../ledger/auditScore.ts";
import { Comparison } from "../../ledger/measures.ts";
import { flowKinds } from "../../model/flowKinds.ts";
import { outcomes } from "../../model/outcomes.ts";

/** What the version panel is told and what it asks; a message of another version is dropped. */
export const versionProtocol = 2;

const Alert = z.enum(["warning", "critical"]).nullable();

/** What the ledger says of a version, as far as the panel shows it. */
export const ShownVersion = z.object({
  name: z.string(),
  commit: z.string(),
  parent: z.string().nullable(),
  factor: z.string().nullable(),
  author: z.string().nullable(),
  title: z.string(),
  hypothesis: z.string().nullable(),
  backtest: z.string().nullable(),
  score: z.number().nullable(),
  low: z.number().nullable(),
  high: z.number().nullable(),
  measured: z.object({ metric: z.string(), value: z.number().nullable() }).nullable(),
  cleanScore: z.number().nullable(),
  cleanBy: z.enum(["reevaluated", "counted"]).optional(),
  distrust: Distrust.optional(),
  merges: z.string().optional(),
  joins: z.string().optional(),
  revertedBy: z.string().optional(),
  audit: AuditScore.nullable(),
  decision: z.enum(shownDecisions),
  stage: z.enum(stages).nullable().optional(),
  claims: z.array(z.string()).optional(),
  reason: z.string(),
  labels: z.array(
    z.object({
      name: z.string(),
      rate: z.number().nullable(),
      bounds: z.tuple([z.number(), z.number()]).optional(),
      alert: Alert,
      over: z.literal("group").optional(),
      split: z.enum(["train", "selection", "audit"]).optional(),
      under: z
        .string()
        .optional()
        .describe("Another label that is on the same rollouts, or on nearly the same."),
    }),
  ),
  signals: z.record(z.string(), z.number().nullable()),
  /** How it was compared when it was decided. */
  comparison: Comparison.nullable().optional(),
  /** Rollouts that the decision names, each as run/id, with the turns that show a label. */
  evidence: z.array(z.object({ rollout: z.string(), turns: z.array(z.int()), label: z.string() })).optional(),
  trial: z
    .object({ seeds: z.array(z.int()) })
    .nullable()
    .optional(),
  failure: z.string().nullable(),
  promoted: z.boolean(),
  alias: z.string().nullable(),
  tags: z.array(z.string()),
  notes: z.array(z.object({ at: z.string(), by: z.string(), text: z.string() })),
});
export type ShownVersion = z.infer<typeof ShownVersion>;

export const VersionChange = z.object({
  version: z.string(),
  commit: z.string(),
  against: z.object({ version: z.string(), commit: z.string() }).nullable(),
  files: z.array(z.object({ path: z.string(), change: z.enum(["added", "deleted", "modified"]) })),
});
export type VersionChange = z.infer<typeof VersionChange>;

/** Two versions and the interval of their difference, or why they cannot be compared. */
export const ComparedPair = z.object({
  a: z.string(),
  b: z.string(),
  found: PairedComparison.pick({
    ...{
      difference: true,
      low: true,
      high: true,
      confidence: true,
      verdict: true,
      items: true,
      notValid: true,
    },
  }).nullable(),
  refused: z.string().nullable(),
});
export type ComparedPair = z.infer<typeof ComparedPair>;

const RolloutName = z.object({ run: z.string(), id: z.string() });

/** A rollout that shows what was decided by: with a label, the first turn that shows it. */
export const ExampleRollout = RolloutName.extend({
  item: z.string(),
  label: z.string().exactOptional(),
  turn: z.int().exactOptional(),
});
export type ExampleRollout = z.infer<typeof ExampleRollout>;

/** What a part of the panel needs. */
export const PanelQuestion = z.discriminatedUnion("part", [
  z.object({ part: z.literal("version"), version: z.string() }),
  z.object({ part: z.literal("diagnosed"), version: z.string() }),
  z.object({ part: z.literal("people") }),
  z.object({ part: z.literal("change"), version: z.string(), against: z.string() }),
  z.object({ part: z.literal("comparison"), a: z.string(), b: z.string() }),
  /** Every two of these, the earlier one first. */
  z.object({ part: z.literal("pairs"), versions: z.array(z.string()) }),
  z.object({ part: z.literal("labels"), a: z.string(), b: z.string() }),
  /** A few rollouts of different items, with this label and outcome. */
  z.object({
    part: z.literal("examples"),
    version: z.string(),
    label: z.string().exactOptional(),
    outcome: z.enum(outcomes).exactOptional(),
  }),
  z.object({ part: z.literal("flow"), a: z.string(), b: z.string(), by: z.enum(flowKinds) }),
  z.object({
    part: z.literal("curves"),
    versions: z.array(z.string()),
    names: z.array(z.string()).nullable(),
  }),
  z.object({ part: z.literal("rewards"), versions: z.array(z.string()) }),
  z.object({ part: z.literal("predictions"), version: z.string() }),
]);
export type PanelQuestion = z.infer<typeof PanelQuestion>;
export type Part = PanelQuestion["part"];

const answer = <P extends Part, S extends z.ZodType>(part: P, value: S) =>
  z.object({ part: z.literal(part), value });
/** What each part is answered with: of a service, what the contract says of its result, as far as the panel shows it. */
export const PartAnswer = z.discriminatedUnion("part", [
  answer("version", ShownVersion),
  answer("diagnosed", Diagnosed),
  answer("people", z.array(LabelByPeople)),
  answer("change", VersionChange),
  answer("comparison", PairedComparison),
  answer("pairs", z.array(ComparedPair)),
  answer("labels", LabelShifts),
  answer("examples", z.array(ExampleRollout)),
  answer("flow", Flow),
  answer("curves", Curves),
  answer("rewards", z.array(RewardMeans)),
  answer("predictions", Predictions),
]);
export type PartAnswer = z.infer<typeof PartAnswer>;
export type PartAnswers = { [A in PartAnswer as A["part"]]: A["value"] };

/** Questions of which a later one takes the place of an earlier one: of a part, or of each version where several are shown at once. */
export const placeOf = (question: PanelQuestion): string =>
  question.part === "version" || question.part === "diagnosed"
    ? `${question.part} ${question.version}`
    : question.part;

const envelope = { protocol: z.literal(versionProtocol) };

/** From the extension to the panel. */
export const ToVersionPanel = z.discriminatedUnion("type", [
  z.object({ ...envelope, type: z.literal("show"), root: z.string().nullable(), names: z.array(z.string()) }),
  z.object({ ...envelope, type: z.literal("answer"), id: z.int(), answer: PartAnswer }),
  z.object({ ...envelope, type: z.literal("refused"), id: z.int(), message: z.string() }),
  /** The lineage or the archive may have changed. */
  z.object({ ...envelope, type: z.literal("changed") }),
]);
export type ToVersionPanel = z.infer<typeof ToVersionPanel>;

const root = z.string().nullable();
/** From the panel to the extension. */
export const FromVersionPanel = z.discriminatedUnion("type", [
  z.object({ ...envelope, type: z.literal("ready") }),
  z.object({ ...envelope, type: z.literal("ask"), id: z.int(), root, question: PanelQuestion }),
  z.object({ ...envelope, type: z.literal("title"), names: z.array(z.string()) }),
  z.object({
    ...envelope,
    type: z.literal("evidence"),
    root,
    query: z.object({
      version: z.string(),
      label: z.string().exactOptional(),
      item: z.string().exactOptional(),
      outcome: z.enum(outcomes).exactOptional(),
    }),
  }),
  z.object({
    ...envelope,
    type: z.literal("rollout"),
    root,
    ...RolloutName.shape,
    label: z.string().exactOptional(),
    /** Without a label: where reading starts. */
    turn: z.int().nonnegative().exactOptional(),
  }),
  z.object({ ...envelope, type: z.literal("rollouts"), root, a: RolloutName, b: RolloutName }),
  z.object({
    ...envelope,
    type: z.literal("diff"),
    root,
    version: z.string(),
    against: z.string(),
    /** One file; all that differ when left out. */
    path: z.string().exactOptional(),
  }),
  z.object({ ...envelope, type: z.literal("lineage"), root, name: z.string() }),
  /** Asks a person for another version to set beside those that are shown. */
  z.object({ ...envelope, type: z.literal("add"), root, names: z.array(z.string()) }),
]);
export type FromVersionPanel = z.infer<typeof FromVersionPanel>;

/** What the panel keeps over a reload: navigation only. */
export const VersionUiState = z.object({
  version: z.literal(1),
  root,
  names: z.array(z.string()),
  a: z.string().nullable(),
  b: z.string().nullable(),
  by: z.enum(flowKinds),
  metrics: z.array(z.string()).nullable(),
});
export type VersionUiState = z.infer<typeof VersionUiState>;
