// A namespace, so that a webview carries only the part of zod that it uses.
import * as z from "zod";

/**
 * What the lineage panel is told and what it asks. Three verbs: notify, request, reply. Bump the version when a field
 * changes its meaning; a message of another version is dropped.
 */
export const lineageProtocol = 1;

export const decisions = [
  "base",
  "keep",
  "reject",
  "invalid",
  "edit",
  "prune",
  "merge",
  "revert",
  "pending",
] as const;
export const Decision = z.enum(decisions);
export type Decision = z.infer<typeof Decision>;

/** One node of the lineage as the views show it. Scores are fractions in [0, 1]; low and high bound the interval. */
export const LineageVersion = z.object({
  name: z.string(),
  commit: z.string(),
  parent: z.string().nullable(),
  factor: z.string().nullable(),
  title: z.string(),
  score: z.number().nullable(),
  low: z.number().nullable(),
  high: z.number().nullable(),
  decision: Decision,
  reason: z.string(),
  labels: z.array(z.object({ name: z.string(), rate: z.number() })),
  at: z.string(),
});
export type LineageVersion = z.infer<typeof LineageVersion>;

/** The lineage of one project, parents before their children. */
export const LineageView = z.object({
  project: z.string(),
  domain: z.string(),
  versions: z.array(LineageVersion),
});
export type LineageView = z.infer<typeof LineageView>;

export const lineageActions = ["refresh", "openFolder", "manageTrust", "restartServer", "showLog"] as const;
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

/** What there is to show. Never nothing: an empty view says why it is empty and what to do. */
export const LineageState = z.discriminatedUnion("type", [
  z.object({ type: z.literal("loading") }),
  z.object({
    type: z.literal("empty"),
    reason: EmptyReason,
    cause: z.string(),
    advice: z.string(),
    action: z.object({ label: z.string(), id: LineageAction }),
  }),
  z.object({ type: z.literal("lineage"), view: LineageView }),
]);
export type LineageState = z.infer<typeof LineageState>;

const envelope = { protocol: z.literal(lineageProtocol) };

/** From the extension to the panel. */
export const ToLineagePanel = z.discriminatedUnion("type", [
  z.object({
    ...envelope,
    verb: z.literal("reply"),
    type: z.literal("state"),
    id: z.int(),
    state: LineageState,
  }),
  z.object({ ...envelope, verb: z.literal("notify"), type: z.literal("changed"), state: LineageState }),
  z.object({ ...envelope, verb: z.literal("notify"), type: z.literal("reveal"), name: z.string() }),
]);
export type ToLineagePanel = z.infer<typeof ToLineagePanel>;

/** From the panel to the extension. */
export const FromLineagePanel = z.discriminatedUnion("type", [
  z.object({ ...envelope, verb: z.literal("request"), type: z.literal("state"), id: z.int() }),
  z.object({ ...envelope, verb: z.literal("notify"), type: z.literal("select"), name: z.string() }),
  z.object({ ...envelope, verb: z.literal("notify"), type: z.literal("action"), action: LineageAction }),
]);
export type FromLineagePanel = z.infer<typeof FromLineagePanel>;

/** What the panel keeps over a reload: navigation only. */
export const LineageUiState = z.object({
  version: z.literal(1),
  layout: z.enum(["graph", "table"]),
  selected: z.string().nullable(),
});
export type LineageUiState = z.infer<typeof LineageUiState>;
