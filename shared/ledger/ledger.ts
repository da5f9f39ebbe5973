import * as z from "zod";
import { Factor, Name } from "../spec/common.ts";
import { gateNames } from "../spec/gates.ts";
import { InterventionSpec } from "../spec/intervention.ts";
import { Admission, WouldDiffer } from "./admission.ts";
import { ClosedFile } from "./closing.ts";
import { InParentEnvironment, NewWay } from "./newWay.ts";
import { Comparison, DecisionRules, LabelCount, MeasuredOn, Score } from "./measures.ts";
import { CalibrationFigures, Seeds, Stage } from "./testing.ts";
import { SkillUse } from "./skillUse.ts";
import { HypothesisResult } from "./hypothesisResult.ts";
import { noteKinds } from "../model/noteKinds.ts";
import { decisions, gateAnswers } from "../words/decisions.ts";
import { procedureSteps } from "../words/procedureSteps.ts";
import { FailureClass } from "../model/failureClass.ts";

export const Decision = z.enum(decisions);
export type Decision = z.infer<typeof Decision>;

const Commit = z.string().regex(/^[0-9a-f]{40,64}$/);

/** A number that another tool measured: of any range, with no interval, since the tool gives none. */
export const Measured = z.object({
  metric: z.string(),
  value: z.number().nullable(),
  direction: z
    .enum(["higher", "lower"])
    .nullable()
    .describe("Which way is better; null when it is not known."),
  unit: z.string().nullable(),
});
export type Measured = z.infer<typeof Measured>;

/** Where an imported version comes from. */
export const Origin = z.object({
  format: z.string(),
  lineage: z.string(),
  key: z.string().describe("Its id in the source, as it is written there."),
  parents: z.array(z.string()),
  status: z.string().nullable().describe("The word that the source uses."),
  note: z.string(),
  plan: z
    .string()
    .optional()
    .describe(
      "What it was to change, in words that the source holds from before it was tried; absent where it has none.",
    ),
  missing: z.boolean().describe("Only named as a parent: no file contains it."),
  digest: z.string().describe("A digest of what the commit was made from."),
});
export type Origin = z.infer<typeof Origin>;

/** Who wrote an entry, as its engine's key proves. */
export const Signature = z.object({
  key: z
    .string()
    .regex(/^[A-Za-z0-9_-]{43}$/)
    .describe("The public key (Ed25519, base64url)."),
  commit: Commit.nullable().describe(
    "What the version was first proposed as: the entry counts for no other.",
  ),
  value: z.string().regex(/^[A-Za-z0-9_-]{86}$/),
});
export type Signature = z.infer<typeof Signature>;

/** What a merge or a subtraction is expected to do to the score, in [0, 1], from what was measured before. */
export const PredictedEffect = z.object({
  against: Name,
  difference: z.number(),
  parts: z
    .array(z.object({ version: Name, against: Name, difference: z.number() }))
    .describe("The measured effects that it is the sum of."),
});
export type PredictedEffect = z.infer<typeof PredictedEffect>;

/** How the clean score of an invalid version was made. */
export const cleanWays = ["reevaluated", "counted"] as const;
export type CleanWay = (typeof cleanWays)[number];

const common = {
  /** Unique and deterministic where a step may be repeated after a crash: appending the same id twice keeps one. */
  id: z.string().regex(/^[A-Za-z0-9][A-Za-z0-9._:-]{0,199}$/),
  at: z.iso.datetime(),
  domain: Name,
  signature: Signature.optional(),
  /** What the entry says of itself in the ledger, where two clones had given one name to two versions. Never written. */
  was: z.object({ id: z.string(), version: Name, parent: Name.nullable().optional() }).optional(),
};

/** Ledgers written before the word was `reject` say `abort`; they are read as if it had always been one word. */
const GateAnswer = z.preprocess((word) => (word === "abort" ? "reject" : word), z.enum(gateAnswers));

/** What a version's jobs took; earlier releases recorded only the seconds. */
export const JobCost = z.object({
  seeds: Seeds.optional().describe(
    "One job ran for each; earlier releases ran one for each of trainer.seeds and did not record them.",
  ),
  trainSeconds: z.number().nonnegative().optional().describe("Seconds until its evaluation began."),
  evaluationSeconds: z.number().nonnegative().optional(),
  wallSeconds: z
    .number()
    .nonnegative()
    .optional()
    .describe("From the start of the first of its jobs to the end of the last."),
  bytes: z.int().nonnegative().optional().describe("What its jobs left: the policy and the evidence."),
  host: z
    .string()
    .optional()
    .describe("Where they ran, by the names in evotrainer.yaml; here for this machine."),
  gpus: z
    .number()
    .nonnegative()
    .optional()
    .describe("GPUs that each of its jobs had; the mean where they ran on different machines."),
  price: z
    .object({ amount: z.number().nonnegative(), currency: z.string() })
    .optional()
    .describe("What they cost by the host's price."),
  tokens: z.int().nonnegative().optional().describe("Tokens that language models used for it."),
});

export type JobCost = z.infer<typeof JobCost>;

/** One entry of the ledger: what happened, never changed, never deleted. */
export const LedgerEntry = z.discriminatedUnion("type", [
  z.object({
    ...common,
    type: z.literal("version"),
    version: Name,
    commit: Commit,
    parent: Name.nullable(),
    generation: z.int().nonnegative(),
    factor: Factor.nullable(),
    intervention: Name.nullable(),
    title: z.string(),
    origin: Origin.optional().describe("Where a version comes from that another tool made."),
    merges: Name.optional().describe("The second parent, whose edits it has as well."),
    without: Name.optional().describe("The kept version above it whose edits it takes out."),
    joins: Name.optional().describe(
      "The tried version beside it whose edits it has as well: that one looked better, but not clearly.",
    ),
  }),
  z.object({
    ...common,
    type: z.literal("hypothesis"),
    version: Name,
    statement: z.string(),
    targets: z.array(z.string()),
    predictedFixes: z.array(Name),
    predictedRisks: z.array(Name),
    proposer: Name.optional().describe("Who proposed it; when absent, the catalogue of an earlier release."),
    spec: InterventionSpec.optional().describe("The intervention as it was proposed."),
    answers: Name.optional().describe("The proposal that was sent back and that this one answers."),
    effect: PredictedEffect.optional(),
    skill: SkillUse.optional().describe("The skill that it was made with."),
    speaksOf: z
      .enum(["part", "none"])
      .optional()
      .describe(
        "If the change was altered at its gate: whether the claim still covers part of it, or nothing.",
      ),
  }),
  z.object({
    ...common,
    type: z.literal("backtest"),
    version: Name,
    summary: z.string(),
    figures: z.record(z.string(), z.number().nullable()),
  }),
  z.object({
    ...common,
    type: z.literal("approval"),
    version: Name,
    gate: z.enum(gateNames),
    generation: z
      .int()
      .nonnegative()
      .optional()
      .describe("Of the diagnosis gate: the generation that the diagnosis begins."),
    answer: GateAnswer,
    by: z.string().min(1),
    comment: z.string().optional(),
    commit: Commit.optional().describe(
      "For approve: what was taken, if not everything that was proposed. For revise: the changed text that waits instead.",
    ),
    hunks: z
      .object({ taken: z.int().nonnegative(), of: z.int().nonnegative() })
      .optional()
      .describe("How many of the proposed hunks were taken, if not all of them."),
    change: z
      .object({ title: z.string(), factor: Factor.nullable() })
      .optional()
      .describe("What `commit` really changes; earlier releases did not record it."),
  }),
  z.object({
    ...common,
    type: z.literal("waiver"),
    version: Name.describe("The quarantined version that the revision would let through."),
    diagnostic: Name,
    revision: z
      .string()
      .min(1)
      .nullable()
      .describe("What was accepted; null when the diagnostic was removed."),
    by: z.string().min(1),
    reason: z.string().min(1),
  }),
  z.object({
    ...common,
    type: z.literal("job"),
    version: Name,
    job: z.string(),
    state: z.enum(["finished", "failed"]),
    failure: FailureClass.nullable(),
    message: z.string(),
    seconds: z.number().nonnegative().nullable().describe("Null when another tool ran it and does not say."),
    ...JobCost.shape,
  }),
  z.object({
    ...common,
    type: z.literal("evidence"),
    version: Name,
    split: z.enum(["selection", "audit"]),
    score: Score.nullable(),
    cleanScore: Score.nullable().describe(
      "The score without what an invalidating label found; cleanBy says how it was made.",
    ),
    cleanBy: z
      .enum(cleanWays)
      .optional()
      .describe(
        "reevaluated: the same policy was evaluated once more in its parent's environment. counted: every rollout with an invalidating label counts as a fail, also where this is absent.",
      ),
    cleanBecause: z
      .string()
      .optional()
      .describe("Of counted: why the policy was not evaluated once more, in a sentence."),
    labels: z.array(LabelCount),
    signals: z.record(z.string(), z.number().nullable()),
    measuredOn: MeasuredOn.optional().describe(
      "What it was measured on; earlier releases did not record it.",
    ),
    measured: Measured.optional().describe("What another tool decided by, if that was not a solve rate."),
    seeds: Seeds.optional().describe("The seeds of training that it comes from."),
  }),
  z.object({
    ...common,
    ...CalibrationFigures.shape,
    type: z.literal("calibration"),
    version: Name.describe("The baseline."),
    sentences: z.array(z.string()).describe("What a person has to know before money is spent on candidates."),
  }),
  z.object({
    ...common,
    type: z.literal("screening"),
    version: Name,
    seeds: Seeds.describe("The seeds that it was looked at with: the first, or those so far."),
    comparison: Comparison.nullable(),
    verdict: z
      .enum(["screened", "another_seed", "keep", "reject"])
      .describe("screened: it is worth further seeds. another_seed: they do not tell yet."),
    reason: z.string().min(1),
  }),
  z.object({
    ...common,
    type: z.literal("decision"),
    version: Name,
    decision: Decision,
    reason: z.string().min(1),
    comparison: Comparison.nullable(),
    evidence: z
      .array(z.object({ rollout: z.string(), turns: z.array(z.int().nonnegative()), label: Name }))
      .describe("Rollouts and turns that show the reason."),
    rules: DecisionRules.optional().describe("What it was decided by; earlier releases did not record it."),
    admission: Admission.optional().describe(
      "Of a harness version: what the archive says of the diagnostics that it changes.",
    ),
    wouldDiffer: z
      .array(WouldDiffer)
      .optional()
      .describe("Of a harness version: earlier versions that would be decided otherwise with it."),
    stage: Stage.optional().describe(
      "How far a version that was trained here was tested; earlier releases tested on the seeds of trainer.seeds.",
    ),
    hypothesis: HypothesisResult.optional().describe(
      "What became of the hypothesis; absent where none was made or nothing was measured.",
    ),
    newWays: z
      .array(NewWay)
      .optional()
      .describe("Of a version that is better: new ways to pass, if there are any."),
    inParentEnvironment: InParentEnvironment.optional().describe(
      "Of a version with a new way to pass that changes its environment: its policy in that of its parent.",
    ),
    held: z
      .boolean()
      .optional()
      .describe(
        "Of a version whose gain may be a shortcut: whether the evolution goes on without it until a person has looked. A search by scores alone or at random goes on from it.",
      ),
  }),
  z.object({
    ...common,
    type: z.literal("promotion"),
    version: Name,
    gap: z.number().nullable(),
    reason: z.string(),
  }),
  z.object({
    ...common,
    type: z.literal("procedure"),
    version: Name.describe("The version that changes were made of when the procedure was questioned."),
    generation: z.int().nonnegative().describe("The generation that takes the step."),
    failures: z.int().positive().describe("How many versions in a row were not kept."),
    step: z.enum(procedureSteps),
    target: z
      .string()
      .describe("What the step is about: the factors, the version to go on from, or the finding."),
    reason: z.string().min(1),
  }),
  z.object({
    ...common,
    type: z.literal("note"),
    version: Name,
    what: z
      .enum(noteKinds)
      .describe(
        "A text, a tag that is added or removed, another name for the version (the last one counts), or a hint for proposers.",
      ),
    value: z.string().max(10_000).describe("Empty only to remove a name."),
    by: z.string().min(1),
  }),
  z.object({
    ...common,
    type: z.literal("closing"),
    version: Name,
    run: z
      .string()
      .min(1)
      .max(200)
      .describe("The run whose job has ended; its files count as they are here."),
    files: z.array(ClosedFile).max(20),
  }),
  z.object({
    ...common,
    type: z.literal("smoke"),
    version: Name,
    commit: Commit.describe("What was tried: the proposal, or the part of it that a reviewer took."),
    ok: z.boolean(),
    message: z.string().describe("What came of it, with the last lines of a command that failed."),
    seconds: z.number().nonnegative(),
  }),
  z.object({
    ...common,
    type: z.literal("question"),
    version: Name.describe("The version that a proposer was asked to change."),
    proposer: Name,
    model: z.string().optional().describe("The model that answered, by its name at its address."),
    prompt: z.string().optional().describe("The instructions that it was given: their file and its SHA-256."),
    calls: z.int().nonnegative().describe("How many times the model was called, or the program was run."),
    tokens: z.int().nonnegative().describe("Tokens sent and answered; 0 where nobody counts them."),
    price: z.object({ amount: z.number().nonnegative(), currency: z.string() }).optional(),
    seconds: z.number().nonnegative(),
    drafts: z.array(z.string()).describe("Names of the drafts that it handed over."),
    hints: z
      .array(z.string())
      .optional()
      .describe("The hints that it was given: ids of notes, or the text of one for this question alone."),
    outcome: z.string().describe("What came of it, in a sentence."),
  }),
]);
export type LedgerEntry = z.infer<typeof LedgerEntry>;
