// A namespace, so that a webview carries only the part of zod that it uses.
import * as z from "zod";
import { outcomes } from "../../model/outcomes.ts";
import { LabelByPeople } from "../results/people.ts";
import { Parting } from "../results/parting.ts";

/** What the reader of a trajectory is told and what it asks; a message of another version is dropped. */
export const rolloutProtocol = 1;

/** Which rollout: a run, or a version where only one of its runs has the id, and the id. `root` is the project's folder. */
export const RolloutKey = z.object({ root: z.string(), within: z.string(), id: z.string() });
export type RolloutKey = z.infer<typeof RolloutKey>;

export const ShownTurn = z.object({
  role: z.string(),
  text: z.string(),
  tool: z.string().optional(),
  args: z.record(z.string(), z.unknown()).optional(),
  ok: z.boolean().optional(),
  tokens: z.number().optional(),
  ms: z.number().optional(),
});
export type ShownTurn = z.infer<typeof ShownTurn>;

/** A label that a rollout carries. `turns` are indices of the turns that show it; none where all of it does. */
export const ShownLabel = z.object({ label: z.string(), revision: z.string(), turns: z.array(z.number()) });
export type ShownLabel = z.infer<typeof ShownLabel>;

/** What a person said of a label, and what one noted. */
const HumanSaid = z.object({
  label: z.string(),
  labelled: z.boolean(),
  by: z.string(),
  at: z.string(),
});
export const HumanNote = z.object({ note: z.string(), by: z.string(), at: z.string() });
export type HumanNote = z.infer<typeof HumanNote>;

/** The diagnostic behind a label as the work tree has it; `path` is relative to the project, or library/…. */
export const ShownDiagnostic = z.object({
  name: z.string(),
  severity: z.enum(["info", "warning", "critical"]),
  description: z.string().nullable(),
  when: z.string().nullable(),
  path: z.string(),
  /** Whether a rollout that carries the label does not count. */
  invalidates: z.boolean().optional(),
});
export type ShownDiagnostic = z.infer<typeof ShownDiagnostic>;

/** One trajectory with its labels. Durations in milliseconds. */
export const ShownRollout = z.object({
  /** Its number in the archive. */
  rid: z.number(),
  version: z.string(),
  source: z.object({ path: z.string(), line: z.number() }),
  rollout: z.object({
    id: z.string(),
    run: z.string(),
    split: z.enum(["train", "selection", "audit"]),
    step: z.number(),
    item: z.string(),
    group: z.string(),
    sample: z.number(),
    outcome: z.enum(outcomes),
    unknown_reason: z.string().optional(),
    reward: z.number().nullable(),
    components: z.record(z.string(), z.number()),
    stop_reason: z.string().nullable(),
    turns: z.array(ShownTurn),
    tokens: z.number().nullable(),
    logprob_mean: z.number().optional(),
    policy: z.string().nullable(),
    harness: z.string().nullable(),
    seed: z.number().nullable(),
    started_at: z.string().nullable(),
    duration_ms: z.number().nullable(),
    extra: z.record(z.string(), z.unknown()),
  }),
  trimmed: z.literal(true).optional(),
  /** What it comes from knows no training step: its 0 is none. */
  stepless: z.literal(true).exactOptional(),
  /** What the reward of its version gives for it, term by term; absent where that is not known. */
  reward: z
    .array(
      z.object({
        name: z.string(),
        signal: z.string(),
        weight: z.number(),
        value: z.number().nullable(),
        adds: z.number().nullable(),
      }),
    )
    .optional(),
  /** The median reward of the passed rollouts of its version in its split; absent where none passed or the split is sealed. */
  passed: z.number().exactOptional(),
  labels: z.array(ShownLabel),
  /** There are labels to set that nobody has set on the rollouts of its version yet. */
  unlabelled: z.boolean().exactOptional(),
  diagnostics: z.array(ShownDiagnostic),
  /** What people said and noted. */
  said: z.array(HumanSaid),
  notes: z.array(HumanNote),
  /** How right its labels are by what people said of this and other rollouts. */
  people: z.array(LabelByPeople),
});
export type ShownRollout = z.infer<typeof ShownRollout>;
/** The labels of a rollout for which it does not count. */
export const spoilingOf = ({ diagnostics }: Pick<ShownRollout, "diagnostics">): string[] =>
  diagnostics.filter(({ invalidates }) => invalidates === true).map(({ name }) => name);

/** More columns than anybody reads beside each other. */
export const mostAligned = 8;

/** A rollout as one column beside others. */
export const AlignedRollout = z.object({
  run: z.string(),
  id: z.string(),
  version: z.string(),
  outcome: z.enum(outcomes),
  reward: z.number().nullable(),
  labels: z.array(z.string()),
  /** Those of its labels for which it does not count. */
  spoiledBy: z.array(z.string()),
  turns: z.array(ShownTurn),
});
export type AlignedRollout = z.infer<typeof AlignedRollout>;

export const RolloutDivergence = z.object({ divergence: Parting.nullable() });

/** A label whose turns are looked for, or the place of a turn. */
export const RolloutFocus = z.union([z.string(), z.int().nonnegative()]);
export type RolloutFocus = z.infer<typeof RolloutFocus>;

/** What there is to read, or why there is nothing. */
export const RolloutState = z.discriminatedUnion("type", [
  z.object({ type: z.literal("loading") }),
  z.object({
    type: z.literal("rollout"),
    shown: ShownRollout,
    /** Where reading starts: at the first turn that shows a label, or at a turn; null where nobody said. */
    focus: RolloutFocus.nullable(),
    /** Where it stands in the list that it was opened from: its place from 0, and how many there are, if that is known. */
    place: z.object({ at: z.int(), of: z.int().nullable() }).exactOptional(),
  }),
  z.object({ type: z.literal("missing"), message: z.string() }),
]);
export type RolloutState = z.infer<typeof RolloutState>;

const envelope = { protocol: z.literal(rolloutProtocol) };

/** From the extension to the reader. */
export const ToRolloutView = z.discriminatedUnion("type", [
  z.object({ ...envelope, type: z.literal("state"), state: RolloutState }),
  z.object({
    ...envelope,
    type: z.literal("said"),
    label: z.string(),
    labelled: z.boolean(),
    /** How right this label is by all answers. */
    people: z.array(LabelByPeople),
  }),
  z.object({ ...envelope, type: z.literal("noted"), note: HumanNote }),
  z.object({ ...envelope, type: z.literal("aligned"), rollouts: z.array(AlignedRollout).max(mostAligned) }),
]);
export type ToRolloutView = z.infer<typeof ToRolloutView>;

/** From the reader to the extension. */
export const FromRolloutView = z.discriminatedUnion("type", [
  z.object({ ...envelope, type: z.literal("ready") }),
  z.object({ ...envelope, type: z.literal("copy"), text: z.string() }),
  z.object({ ...envelope, type: z.literal("openDiagnostic"), label: z.string() }),
  z.object({ ...envelope, type: z.literal("openSource") }),
  z.object({ ...envelope, type: z.literal("showItem") }),
  z.object({ ...envelope, type: z.literal("compare") }),
  z.object({ ...envelope, type: z.literal("export") }),
  /** Opens the next rollout of the list that it was opened from, or the one before. */
  z.object({ ...envelope, type: z.literal("step"), by: z.literal([-1, 1]) }),
  /** Asks for the rollouts of the same item, to be shown side by side. */
  z.object({ ...envelope, type: z.literal("align") }),
  z.object({ ...envelope, type: z.literal("openOther"), run: z.string(), id: z.string() }),
  z.object({ ...envelope, type: z.literal("note"), note: z.string().min(1).max(10_000) }),
  /** To make it an example of a diagnostic; the person chooses one where none is named. */
  z.object({
    ...envelope,
    type: z.literal("example"),
    label: z.string().nullable(),
    expect: z.enum(["labelled", "clear"]).nullable(),
  }),
  z.object({ ...envelope, type: z.literal("label"), label: z.string(), labelled: z.boolean() }),
]);
export type FromRolloutView = z.infer<typeof FromRolloutView>;

/** What the reader keeps over a reload: how the turns are shown. */
export const RolloutUiState = z.object({
  version: z.literal(1),
  raw: z.boolean(),
  folded: z.array(z.number()),
  turn: z.number(),
  /** The turn whose prompt is shown instead of the turns. */
  prompt: z.number().exactOptional(),
});
export type RolloutUiState = z.infer<typeof RolloutUiState>;
