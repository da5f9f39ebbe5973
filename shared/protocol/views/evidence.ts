// A namespace, so that a webview carries only the part of zod that it uses.
import * as z from "zod";
import { outcomes } from "../../model/outcomes.ts";
import type { rolloutOrders } from "../../model/rolloutOrders.ts";
import { shownDecisions } from "../../words/decisions.ts";
import { stages } from "../../words/stages.ts";
import { LabelByPeople } from "../results/people.ts";
import { OpenSplit } from "../results/openSplit.ts";
import { VersionCompared } from "./job.ts";

/** What the evidence panel is told and what it asks; a message of another version is dropped. */
export const evidenceProtocol = 2;

/** What the list can be grouped by. */
export const groupings = ["label", "outcome", "stop_reason", "step", "item"] as const;
export const Grouping = z.enum(groupings);
export type Grouping = z.infer<typeof Grouping>;

/** What the list can be sorted by. */
export const evidenceOrders = [
  "arrival",
  "step",
  "item",
  "reward",
  "outcome",
  "stop_reason",
  "tokens",
  "n_turns",
] as const satisfies readonly (typeof rolloutOrders)[number][];
export const EvidenceOrder = z.enum(evidenceOrders);
export type EvidenceOrder = z.infer<typeof EvidenceOrder>;

/** Which rollouts are listed. An absent field filters nothing. The audit split is sealed: it cannot even be named here. */
export const EvidenceQuery = z.object({
  version: z.string(),
  split: OpenSplit.exactOptional(),
  where: z.string().exactOptional().describe("A CEL condition."),
  search: z.string().exactOptional().describe("A text in a turn, or an expression written as /…/."),
  label: z.string().exactOptional(),
  outcome: z.enum(outcomes).exactOptional(),
  item: z.string().exactOptional(),
  step: z.int().exactOptional(),
  stopReason: z.string().exactOptional(),
  note: z.string().max(1000).exactOptional().describe("A text in a person's note; if it is empty, any note."),
  orderBy: EvidenceOrder.default("arrival"),
  descending: z.boolean().default(false),
});
export type EvidenceQuery = z.infer<typeof EvidenceQuery>;

/** What another view asks to be listed, of any version and project. */
export const EvidenceReveal = EvidenceQuery.pick({ label: true, item: true, outcome: true }).extend({
  version: z.string().exactOptional(),
});
export type EvidenceReveal = z.infer<typeof EvidenceReveal>;

/** One line of the list. */
export const EvidenceRow = z.object({
  rid: z.number(),
  id: z.string(),
  run: z.string(),
  /** Null where what it comes from knows no training step. */
  step: z.number().nullable(),
  item: z.string(),
  sample: z.number(),
  outcome: z.enum(outcomes),
  reward: z.number().nullable(),
  stop_reason: z.string().nullable(),
  tokens: z.number().nullable(),
  labels: z.array(z.string()),
  /** How many notes people wrote about it. */
  notes: z.number(),
  /** Index of the first turn that holds a searched text, and the first hit in it with what stands around it. Untrusted text. */
  turn: z.number().exactOptional(),
  snippet: z.object({ before: z.string(), hit: z.string(), after: z.string() }).exactOptional(),
});
export type EvidenceRow = z.infer<typeof EvidenceRow>;

/** How many rollouts a filter lets through, by how they ended; those that carry an invalidating label apart. */
export const RolloutCounts = z.object({
  total: z.number(),
  notValid: z.number(),
  pass: z.number(),
  fail: z.number(),
  unknown: z.number(),
});

/** Rows of a list from any place on; the contract says at rollouts.window what each field means. */
export const EvidenceWindow = z.object({
  split: OpenSplit,
  offset: z.number(),
  list: z.string().nullable(),
  rows: z.number().nullable(),
  counts: RolloutCounts.nullable(),
  invalidating: z
    .array(z.string())
    .optional()
    .describe("Labels whose rollouts do not count; there where the counts are."),
  rollouts: z.array(EvidenceRow),
});
export type EvidenceWindow = z.infer<typeof EvidenceWindow>;

/** How many rollouts of a filter have each value, the most frequent first; `more` when there are more values than given. */
export const EvidenceGroups = z.object({
  by: Grouping,
  groups: z.array(
    z.object({ value: z.string().nullable(), rollouts: z.number(), pass: z.number(), notValid: z.number() }),
  ),
  more: z.boolean(),
  /** Of labels: how right they are by what people answered. */
  people: z.array(LabelByPeople),
  beside: z
    .object({
      version: z.string(),
      against: z.string(),
      rates: z.array(z.object({ label: z.string(), own: z.number(), other: z.number() })),
    })
    .exactOptional()
    .describe(
      "Of labels on the selection split: their shares of all rollouts of the version, and of the one that it was compared with, else of its parent.",
    ),
});
export type EvidenceGroups = z.infer<typeof EvidenceGroups>;

/** Whether the rollouts of a version and split are labelled: until they are, no label on one says nothing. */
export const LabelsSet = z.discriminatedUnion("type", [
  z.object({ type: z.literal("labelled") }),
  z.object({ type: z.literal("labelling") }),
  z.object({ type: z.literal("refused"), message: z.string() }),
]);
export type LabelsSet = z.infer<typeof LabelsSet>;

const ScoredVersion = z.object({ version: z.string(), score: z.number().nullable() });

/** How a version stands in the lineage: what was decided of it, and how it scores beside another one. */
export const EvidenceStanding = z.object({
  decision: z.enum(shownDecisions),
  stage: z.enum(stages).nullable(),
  claims: z.array(z.string()),
  /** Share of passed rollouts on the selection split, over all seeds; null where that is not known. */
  score: z.number().nullable(),
  /** There where its numbers are not to be trusted: what its score counts as, if that is known. */
  distrust: z.object({ counts: z.number().nullable() }).exactOptional(),
  /** What it was compared with, else its parent; absent where it has none. */
  beside: ScoredVersion.exactOptional(),
  compared: VersionCompared.exactOptional(),
});
export type EvidenceStanding = z.infer<typeof EvidenceStanding>;

export const EvidenceVersion = z.object({
  version: z.string(),
  train: z.number(),
  selection: z.number(),
  /** Absent where only evidence of it is known. */
  standing: EvidenceStanding.exactOptional(),
});
export type EvidenceVersion = z.infer<typeof EvidenceVersion>;

/** What there is to list, or why there is nothing. */
export const EvidenceState = z.discriminatedUnion("type", [
  z.object({ type: z.literal("loading") }),
  z.object({ type: z.literal("versions"), versions: z.array(EvidenceVersion), root: z.string() }),
  z.object({ type: z.literal("empty"), cause: z.string(), advice: z.string() }),
]);
export type EvidenceState = z.infer<typeof EvidenceState>;

const envelope = { protocol: z.literal(evidenceProtocol) };
const Refused = z.object({ type: z.literal("refused"), message: z.string() });

/** From the extension to the panel. */
export const ToEvidencePanel = z.discriminatedUnion("type", [
  z.object({ ...envelope, type: z.literal("state"), state: EvidenceState }),
  z.object({ ...envelope, type: z.literal("reveal"), query: EvidenceReveal }),
  z.object({
    ...envelope,
    type: z.literal("page"),
    id: z.int(),
    answer: z.discriminatedUnion("type", [
      z.object({ type: z.literal("page"), page: EvidenceWindow }),
      Refused,
    ]),
  }),
  z.object({
    ...envelope,
    type: z.literal("groups"),
    id: z.int(),
    answer: z.discriminatedUnion("type", [
      z.object({ type: z.literal("groups"), groups: EvidenceGroups, labels: LabelsSet }),
      Refused,
    ]),
  }),
  /** The rollouts of a version were labelled: what is shown of them may say otherwise now. */
  z.object({
    ...envelope,
    type: z.literal("labelled"),
    version: z.string(),
    split: OpenSplit.nullable().describe("The split that was asked for; null if none was."),
  }),
]);
export type ToEvidencePanel = z.infer<typeof ToEvidencePanel>;

/** From the panel to the extension. A question of a kind takes the place of the one before. */
export const FromEvidencePanel = z.discriminatedUnion("type", [
  z.object({ ...envelope, type: z.literal("ready") }),
  z.object({
    ...envelope,
    type: z.literal("page"),
    id: z.int(),
    query: EvidenceQuery,
    offset: z.int().nonnegative(),
    limit: z.int().min(1).max(1000),
    /** The list that the page belongs to, as an answer named it. */
    list: z.string().nullable(),
    counts: z.boolean(),
  }),
  z.object({ ...envelope, type: z.literal("export"), query: EvidenceQuery }),
  z.object({ ...envelope, type: z.literal("groups"), id: z.int(), query: EvidenceQuery, by: Grouping }),
  z.object({
    ...envelope,
    type: z.literal("open"),
    run: z.string(),
    id: z.string(),
    beside: z.boolean(),
    /** The list and the place in it, so that the reader can go on to the next one. */
    from: z
      .object({ query: EvidenceQuery, at: z.int().nonnegative(), of: z.int().nullable() })
      .exactOptional(),
  }),
  z.object({ ...envelope, type: z.literal("refresh") }),
]);
export type FromEvidencePanel = z.infer<typeof FromEvidencePanel>;

/** What the panel keeps over a reload: navigation only. */
export const EvidenceUiState = z.object({
  version: z.literal(1),
  query: EvidenceQuery.nullable(),
  grouping: Grouping,
  selected: z.number().nullable(),
});
export type EvidenceUiState = z.infer<typeof EvidenceUiState>;
