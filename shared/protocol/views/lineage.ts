// A namespace, so that a webview carries only the part of zod that it uses.
import * as z from "zod";
import { noteKinds } from "../../model/noteKinds.ts";
import { shownDecisions, type ShownDecision, type VerdictWord } from "../../words/decisions.ts";
import { AuditScore } from "../../ledger/auditScore.ts";
import type { VersionReport } from "../../ledger/lineage.ts";
import { SeedScores, VersionItems } from "../results/items.ts";
import { LabelByPeople } from "../results/people.ts";

/**
 * What the lineage panel is told and what it asks. Bump the version when a field changes its meaning; a message of another
 * version is dropped.
 */
export const lineageProtocol = 2;

export type Decision = ShownDecision;
export const decisions = shownDecisions;

/** One version as the views show it: a part of what `evotrainer lineage --json` says of it. */
export type LineageVersion = Pick<
  VersionReport,
  | "name"
  | "parent"
  | "generation"
  | "factor"
  | "author"
  | "title"
  | "score"
  | "low"
  | "high"
  | "cleanScore"
  | "audit"
  | "decision"
  | "stage"
  | "claims"
  | "held"
  | "reason"
  | "labels"
  | "promoted"
  | "alias"
  | "tags"
  | "notes"
  | "at"
> & {
  /** What another tool measured of an imported version, in words; empty where nothing. */
  readonly measured: string;
  /** How its score differs from that of the version which it was decided against, in [-1, 1]; absent where it was not compared. */
  readonly compared?: { readonly difference: number; readonly verdict: VerdictWord } | undefined;
};

/** Between the texts of a column; no text holds it (`lineageTable.ts` takes it out). */
export const unitSeparator = "\u001f";

/** Numbers are looked at in a loop: a schema of a hundred thousand of them is slow. */
const Numbers = z.custom<number[]>((v) => Array.isArray(v) && v.every((x) => typeof x === "number"));
const Gaps = z.custom<(number | null)[]>(
  (v) => Array.isArray(v) && v.every((x) => x === null || typeof x === "number"),
);

/** What people said of a version of a page: most have nothing. */
const Said = z.object({
  /** Where in the page. */
  at: z.int().nonnegative(),
  alias: z.string().nullable(),
  tags: z.array(z.string()),
  notes: z.array(z.object({ at: z.string(), by: z.string(), text: z.string() })),
});

/**
 * Some versions of a lineage, a column for each field. `index` counts versions in the order in which they were made,
 * parents before their children; the newest come first. Texts are joined by `unitSeparator`.
 */
export const LineagePage = z.object({
  project: z.string(),
  domain: z.string(),
  /** Indices are those of this epoch; a page of another one replaces everything. */
  epoch: z.string(),
  /** What the receiver knows after this page and the `rest` that follows. */
  revision: z.int(),
  /** What somebody did to the ledger behind the engine's back, and what to do. */
  notices: z.array(z.string()).optional(),
  /** Versions of the whole lineage. */
  total: z.int().nonnegative(),
  /** Index of the newest version that was kept; -1 when none was. */
  head: z.int(),
  /** Changed versions that are still to come; they are below the last index of this page. */
  rest: z.int().nonnegative(),
  index: Numbers,
  /** Index of the parent; -1 without one. */
  parent: Numbers,
  generation: Numbers,
  /** Index into the decisions. */
  decision: Numbers,
  score: Gaps,
  low: Gaps,
  high: Gaps,
  /** How the score differs from that of the version which it was decided against, and the index of the verdict; -1 without one. */
  difference: Gaps.optional(),
  verdict: Numbers.optional(),
  /** Milliseconds since 1970. */
  at: Numbers,
  name: z.string(),
  title: z.string(),
  reason: z.string(),
  factor: z.string(),
  author: z.string(),
  measured: z.string(),
  /** Where in the page versions are that were kept for what their first seed showed. */
  oneSeed: Numbers.optional(),
  /** Where in the page versions are of which not all that is said is signed; their reasons say what. */
  claimed: Numbers.optional(),
  /** Where in the page versions are that a person has to look at first, because their gain may be a shortcut. */
  held: Numbers.optional(),
  /** Where in the page the promoted versions are. */
  promoted: Numbers,
  /** Of the few versions that have one: the score on the audit split, and the score without what an invalidating label found. */
  audits: z.array(z.object({ at: z.int().nonnegative(), ...AuditScore.shape })).optional(),
  clean: z.array(z.object({ at: z.int().nonnegative(), score: z.number() })).optional(),
  labelNames: z.array(z.string()),
  /** Per version how many labels, then per label which one, its rate (null where nothing was decided) and its alert: 0 none, 1 warning, 2 critical. */
  labels: Numbers,
  label: Numbers,
  rate: Gaps,
  alert: Numbers,
  /** Per label the one that it is folded under, as an index into the names; -1 where it has its own row. */
  under: Numbers.optional(),
  /** Where in `label` those are that their version was not kept for. */
  decided: Numbers.optional(),
  /** Where in `label` those are that count groups instead of rollouts. */
  groups: Numbers.optional(),
  said: z.array(Said),
});
export type LineagePage = z.infer<typeof LineagePage>;

const lineageActions = ["refresh", "openFolder", "manageTrust", "restartServer", "showLog"] as const;
export const LineageAction = z.enum(lineageActions);
export type LineageAction = z.infer<typeof LineageAction>;

/** Why there is no lineage to show. The side bar has a welcome text for each of them. */
export const emptyReasons = [
  "noFolder",
  "noProject",
  "noVersions",
  "untrusted",
  "stopped",
  "unreadable",
] as const;
export const EmptyReason = z.enum(emptyReasons);
export type EmptyReason = z.infer<typeof EmptyReason>;

/** What there is instead of a lineage. Never nothing: an empty view says why it is empty and what to do. */
export const LineageAbsence = z.discriminatedUnion("type", [
  z.object({ type: z.literal("loading") }),
  z.object({
    type: z.literal("empty"),
    reason: EmptyReason,
    cause: z.string(),
    advice: z.string(),
    action: z.object({ label: z.string(), id: LineageAction }),
  }),
]);
export type LineageAbsence = z.infer<typeof LineageAbsence>;

const envelope = { protocol: z.literal(lineageProtocol) };

/** What is going on besides what the lineage says: jobs that run, and versions that wait for a review. */
export const LineageStanding = z.object({
  running: z.array(
    z.object({
      /** The job. */
      id: z.string(),
      version: z.string(),
      step: z.number().nullable(),
      stepsTotal: z.number().nullable(),
      etaSeconds: z.number().nullable(),
    }),
  ),
  waiting: z.array(z.string()),
  /** Those that wait for a rule, which answers when the evolution goes on: a person may, and need not. */
  byRule: z.array(z.string()).optional(),
});
export type LineageStanding = z.infer<typeof LineageStanding>;

/** The rollouts of one item in one version. */
const ItemCell = z.object({ version: z.string(), item: z.string() });
export type ItemCell = z.infer<typeof ItemCell>;

/** The project's folder: two projects of a window may have versions of the same name. */
const root = z.string().exactOptional();

/** From the extension to the panel. */
export const ToLineagePanel = z.discriminatedUnion("type", [
  z.object({ ...envelope, type: z.literal("page"), root, page: LineagePage }),
  z.object({ ...envelope, type: z.literal("absent"), state: LineageAbsence }),
  z.object({ ...envelope, type: z.literal("reveal"), name: z.string() }),
  z.object({ ...envelope, type: z.literal("standing"), standing: LineageStanding }),
  /** What somebody wrote about a version and the engine did not take: it goes back to where it was written. */
  z.object({ ...envelope, type: z.literal("refusedNote"), root, name: z.string(), value: z.string() }),
  /** The scores of the seeds of versions, where the archive has them. */
  z.object({ ...envelope, type: z.literal("seeds"), versions: z.array(SeedScores) }),
  /** What people's answers say of the labels that they answered about. */
  z.object({ ...envelope, type: z.literal("people"), people: z.array(LabelByPeople) }),
  z.object({
    ...envelope,
    type: z.literal("items"),
    id: z.int(),
    answer: z.discriminatedUnion("type", [
      z.object({ type: z.literal("items"), items: VersionItems }),
      z.object({ type: z.literal("refused"), message: z.string() }),
    ]),
  }),
]);
export type ToLineagePanel = z.infer<typeof ToLineagePanel>;

/** From the panel to the extension. */
export const FromLineagePanel = z.discriminatedUnion("type", [
  z.object({ ...envelope, type: z.literal("ready") }),
  z.object({ ...envelope, type: z.literal("select"), name: z.string() }),
  /** Shows one version beside its parent, or several beside each other. */
  z.object({ ...envelope, type: z.literal("compare"), names: z.array(z.string()).min(1).max(20) }),
  z.object({ ...envelope, type: z.literal("evidence"), name: z.string(), label: z.string().nullable() }),
  z.object({
    ...envelope,
    type: z.literal("note"),
    root,
    name: z.string(),
    what: z.enum(noteKinds),
    value: z.string().max(10_000),
  }),
  z.object({ ...envelope, type: z.literal("action"), action: LineageAction }),
  /** A later question takes the place of an earlier one. */
  z.object({
    ...envelope,
    type: z.literal("items"),
    id: z.int(),
    versions: z.array(z.string()).min(1).max(100),
  }),
  /** Opens the rollouts of one cell beside each other, or those of two. */
  z.object({ ...envelope, type: z.literal("cells"), cells: z.array(ItemCell).min(1).max(2) }),
  z.object({ ...envelope, type: z.literal("job"), id: z.string() }),
  z.object({ ...envelope, type: z.literal("jobs") }),
  z.object({ ...envelope, type: z.literal("gate"), name: z.string() }),
]);
export type FromLineagePanel = z.infer<typeof FromLineagePanel>;

/** How the panel shows the versions: as a graph, as a table, by their labels, by the items that they solve. */
export const lineageLayouts = ["graph", "table", "labels", "items"] as const;
export type LineageLayout = (typeof lineageLayouts)[number];

/** What the panel keeps over a reload: navigation only. */
export const LineageUiState = z.object({
  version: z.literal(2),
  layout: z.enum(lineageLayouts),
  selected: z.string().nullable(),
  marked: z.array(z.string()),
  /** What is written in the filter box: conditions, words and the order. */
  query: z.string(),
  scope: z.object({ how: z.enum(["line", "subtree"]), name: z.string() }).nullable(),
  hidden: z.array(z.string()),
  /** Whether generations are folded, and those that are not as the others; null until somebody folds. */
  folded: z.boolean().nullable(),
  exceptions: z.array(z.int()),
  /** What is being written about versions and was not sent, by project and version. */
  written: z.record(z.string(), z.string()).default({}),
});
export type LineageUiState = z.infer<typeof LineageUiState>;
