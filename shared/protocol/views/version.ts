// A namespace, so that a webview carries only the part of zod that it uses.
import * as z from "zod";
import { shownDecisions, verdicts } from "../../words/decisions.ts";
import { flowKinds } from "../../model/flowKinds.ts";

/** What the version panel is told and what it asks; a message of another version is dropped. */
export const versionProtocol = 1;

const Ends = z.tuple([z.number(), z.number()]);
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
  audit: z.object({ score: z.number(), low: z.number(), high: z.number() }).nullable(),
  decision: z.enum(shownDecisions),
  reason: z.string(),
  labels: z.array(z.object({ name: z.string(), rate: z.number(), alert: Alert })),
  signals: z.record(z.string(), z.number().nullable()),
  failure: z.string().nullable(),
  promoted: z.boolean(),
  alias: z.string().nullable(),
  tags: z.array(z.string()),
  notes: z.array(z.object({ at: z.string(), by: z.string(), text: z.string() })),
});
export type ShownVersion = z.infer<typeof ShownVersion>;

/** What the diagnostics say of a version that the ledger has no evaluation of. */
const Diagnosed = z.object({
  score: z.object({ value: z.number(), low: z.number(), high: z.number() }).nullable(),
  cleanScore: z.object({ value: z.number() }).nullable(),
  labels: z.array(z.object({ name: z.string(), labelled: z.number(), rollouts: z.number(), alert: Alert })),
  signals: z.record(z.string(), z.number().nullable()).catch({}),
});

export const VersionChange = z.object({
  version: z.string(),
  commit: z.string(),
  against: z.object({ version: z.string(), commit: z.string() }).nullable(),
  files: z.array(z.object({ path: z.string(), change: z.enum(["added", "deleted", "modified"]) })),
});
export type VersionChange = z.infer<typeof VersionChange>;

const Counts = z.object({ pass: z.number(), fail: z.number(), unknown: z.number() });
const RolloutName = z.object({ run: z.string(), id: z.string() });
const Flip = z.object({
  item: z.string(),
  direction: z.enum(["fixed", "broken"]),
  before: Counts,
  after: Counts,
  divergence: z
    .object({
      before: RolloutName,
      after: RolloutName,
      first: z.object({ a: z.number().nullable(), b: z.number().nullable(), reason: z.string() }).nullable(),
    })
    .nullable(),
});
export type Flip = z.infer<typeof Flip>;

/** The paired comparison: numbers to draw, and sentences that say all of it. */
export const PairedComparison = z.object({
  difference: z.number(),
  low: z.number(),
  high: z.number(),
  verdict: z.enum(verdicts),
  items: z.number(),
  itemsNeeded: z.number().nullable(),
  outer: Ends.optional(),
  metric: z.string(),
  sentences: z.array(z.string()),
  flipped: z.object({ fixed: z.number(), broken: z.number(), same: z.number(), p: z.number() }),
  flips: z.array(Flip),
});
export type PairedComparison = z.infer<typeof PairedComparison>;

const Rate = z.object({ labelled: z.number(), decided: z.number(), rate: z.number().nullable() });
export const LabelShifts = z.object({
  split: z.string(),
  shifts: z.array(
    z.object({
      label: z.string(),
      a: Rate,
      b: Rate,
      difference: z.number().nullable(),
      low: z.number().nullable(),
      high: z.number().nullable(),
      p: z.number().nullable(),
      adjusted: z.number().nullable(),
      kind: z.string(),
      says: z.string(),
    }),
  ),
  notes: z.array(z.string()),
  problems: z.array(z.string()),
});
export type LabelShifts = z.infer<typeof LabelShifts>;

const Matrix = z.object({
  classes: z.array(z.string()),
  counts: z.array(z.array(z.number())),
  before: z.array(z.number()),
  after: z.array(z.number()),
  total: z.number(),
});
export type Matrix = z.infer<typeof Matrix>;
export const Flow = z.object({
  split: z.string(),
  items: Matrix,
  itemsOnlyIn: z.object({ a: z.number(), b: z.number() }),
  rollouts: Matrix.nullable(),
  unpaired: z.object({ a: z.number(), b: z.number() }),
  notes: z.array(z.string()),
  problems: z.array(z.string()),
});
export type Flow = z.infer<typeof Flow>;

export const Curves = z.object({
  names: z.array(z.object({ name: z.string(), steps: z.number() })),
  shown: z.array(z.string()),
  series: z.array(
    z.object({
      version: z.string(),
      name: z.string(),
      runs: z.number(),
      points: z.array(
        z.object({
          step: z.number(),
          values: z.number(),
          mean: z.number(),
          min: z.number(),
          max: z.number(),
        }),
      ),
    }),
  ),
});
export type Curves = z.infer<typeof Curves>;

const Foreseen = z.array(z.object({ label: z.string(), result: z.string() }));
export const Predictions = z.object({
  versions: z.array(
    z.object({
      version: z.string(),
      parent: z.string(),
      proposer: z.string(),
      measured: z.boolean(),
      fixes: Foreseen,
      risks: Foreseen,
      unforeseenFixes: z.array(z.string()),
      unforeseenRisks: z.array(z.string()),
    }),
  ),
});
export type Predictions = z.infer<typeof Predictions>;

/** What a part of the panel needs. */
export const PanelQuestion = z.discriminatedUnion("part", [
  z.object({ part: z.literal("version"), version: z.string() }),
  z.object({ part: z.literal("diagnosed"), version: z.string() }),
  z.object({ part: z.literal("change"), version: z.string(), against: z.string() }),
  z.object({ part: z.literal("comparison"), a: z.string(), b: z.string() }),
  z.object({ part: z.literal("labels"), a: z.string(), b: z.string() }),
  z.object({ part: z.literal("flow"), a: z.string(), b: z.string(), by: z.enum(flowKinds) }),
  z.object({
    part: z.literal("curves"),
    versions: z.array(z.string()),
    names: z.array(z.string()).nullable(),
  }),
  z.object({ part: z.literal("predictions"), version: z.string() }),
]);
export type PanelQuestion = z.infer<typeof PanelQuestion>;
export type Part = PanelQuestion["part"];

/** What each part is answered with. */
export const partAnswers = {
  version: ShownVersion,
  diagnosed: Diagnosed,
  change: VersionChange,
  comparison: PairedComparison,
  labels: LabelShifts,
  flow: Flow,
  curves: Curves,
  predictions: Predictions,
} as const;
export type PartAnswers = { [P in Part]: z.infer<(typeof partAnswers)[P]> };

const envelope = { protocol: z.literal(versionProtocol) };

/** From the extension to the panel. `value` is parsed by the schema of the part that asked. */
export const ToVersionPanel = z.discriminatedUnion("type", [
  z.object({ ...envelope, type: z.literal("show"), root: z.string().nullable(), names: z.array(z.string()) }),
  z.object({ ...envelope, type: z.literal("answer"), id: z.int(), value: z.unknown() }),
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
      outcome: z.enum(["pass", "fail", "unknown"]).exactOptional(),
    }),
  }),
  z.object({ ...envelope, type: z.literal("rollout"), root, run: z.string(), id: z.string() }),
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
  z.object({ ...envelope, type: z.literal("lineage"), name: z.string() }),
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
