import * as z from "zod";
import { Admission, WouldDiffer } from "./admission.ts";
import { AuditScore } from "./auditScore.ts";
import { shownDecisions } from "../words/decisions.ts";
import { HypothesisResult } from "./hypothesisResult.ts";
import { cleanWays, Measured, Origin } from "./ledger.ts";
import { Comparison } from "./measures.ts";
import { InParentEnvironment, NewWay } from "./newWay.ts";
import { Distrust } from "../model/distrust.ts";
import { Stage } from "./testing.ts";
import { procedureSteps } from "../words/procedureSteps.ts";
import { FailureClass } from "../model/failureClass.ts";

/** What trying a version took and gave; a number is null where it is not known. */
export const Trial = z.object({
  proposer: z.string().nullable().describe("Who proposed it; null for the base policy and the baseline."),
  seeds: z.array(z.int()),
  seconds: z.number().nullable().describe("Of all its jobs together, without its audit."),
  trainSeconds: z.number().nullable(),
  evaluationSeconds: z.number().nullable(),
  bytes: z.number().nullable().describe("What its jobs left: the policy and the evidence."),
  host: z.string().nullable(),
  gpus: z.number().nullable().describe("GPUs that each of its jobs had."),
  cost: z.object({ amount: z.number(), currency: z.string() }).nullable(),
  deltaToBest: z.number().nullable().describe("Its score less the best score that was kept before it."),
});
export type Trial = z.infer<typeof Trial>;

/** What is known of one version. Scores and rates are in [0, 1]; `low` and `high` bound the 95 % interval. */
export const VersionReport = z.object({
  name: z.string(),
  commit: z.string(),
  parent: z.string().nullable(),
  merges: z.string().optional().describe("Of a merge: its second parent."),
  without: z.string().optional().describe("The kept version whose edits it takes out."),
  joins: z.string().optional().describe("The tried version whose edits it has as well."),
  generation: z.int(),
  factor: z.string().nullable(),
  intervention: z.string().nullable(),
  author: z.string().nullable().describe("Who proposed it, or the format that it was imported from."),
  title: z.string(),
  hypothesis: z.string().nullable(),
  backtest: z.string().nullable(),
  score: z.number().nullable(),
  low: z.number().nullable(),
  high: z.number().nullable(),
  measured: Measured.nullable().describe("What another tool measured for an imported version, on any scale."),
  cleanScore: z
    .number()
    .nullable()
    .describe("Score without what an invalidating label found; cleanBy says how it was made."),
  cleanBy: z
    .enum(cleanWays)
    .optional()
    .describe(
      "reevaluated: the same policy was evaluated once more, in its parent's environment. counted, also where this is absent: rollouts with an invalidating label count as failures.",
    ),
  distrust: Distrust.optional().describe(
    "Why its numbers are not to be trusted: it is left out of every best, and no comparison with it is valid.",
  ),
  cleanBecause: z.string().optional().describe("Why the policy was not evaluated once more, in a sentence."),
  audit: AuditScore.nullable(),
  decision: z.enum(shownDecisions),
  stage: Stage.nullable()
    .optional()
    .describe("How far it was tested when it was decided; null where that is not known."),
  reason: z.string(),
  comparison: Comparison.nullable(),
  hypothesisResult: HypothesisResult.optional().describe(
    "What became of the hypothesis: whether its metric moved as it said, its predictions, and side effects.",
  ),
  admission: Admission.optional().describe(
    "Of a harness version, which changes only how evidence is read: what the archive says of it.",
  ),
  wouldDiffer: z
    .array(WouldDiffer)
    .optional()
    .describe("Of a harness version: earlier versions that would be decided otherwise with it."),
  newWays: z
    .array(NewWay)
    .optional()
    .describe("Of a version that was found to be better: new ways to pass, which a person should look at."),
  inParentEnvironment: InParentEnvironment.optional().describe(
    "Of a version with a new way to pass that changes its environment: its policy in that of its parent.",
  ),
  evidence: z.array(z.object({ rollout: z.string(), turns: z.array(z.int()), label: z.string() })),
  labels: z.array(
    z.object({
      name: z.string(),
      rate: z
        .number()
        .nullable()
        .describe("Share of the rollouts that could be decided; null where none could."),
      bounds: z
        .tuple([z.number(), z.number()])
        .optional()
        .describe("Share of all if every undecided one were clear, and if every one carried the label."),
      alert: z.enum(["warning", "critical"]).nullable(),
      decided: z.literal(true).optional().describe("That the version was rejected or found invalid for it."),
      over: z.literal("group").optional().describe("That it is a share of groups; otherwise of rollouts."),
      split: z
        .enum(["train", "selection", "audit"])
        .optional()
        .describe("Of groups: where they were counted. Rollouts are those of the selection split."),
      under: z
        .string()
        .optional()
        .describe(
          "Another label that is on the same rollouts, or on nearly the same: lists name this one with it.",
        ),
    }),
  ),
  signals: z
    .record(z.string(), z.number().nullable())
    .describe("What the evaluation measured in addition to the score."),
  failure: FailureClass.nullable(),
  trial: Trial.nullable().optional().describe("What trying it took and gave; null where no job ran."),
  promoted: z.boolean().describe("That it is the promoted version: not that of one that was reverted since."),
  revertedBy: z.string().optional(),
  promotion: z.string().nullable(),
  unconfined: z
    .string()
    .optional()
    .describe(
      "Why a job that measured it was not confined, so that the job could reach what is not its own.",
    ),
  held: z
    .literal(true)
    .optional()
    .describe(
      "That its gain may be a shortcut and no person has approved it: it is not promoted, and no change is made of it.",
    ),
  claims: z
    .array(z.string())
    .optional()
    .describe("What the ledger says of it that nobody who is trusted here signed, so that it opens nothing."),
  origin: Origin.nullable().describe("Where an imported version comes from."),
  alias: z.string().nullable().describe("The name that a person gave it, in addition to its own."),
  tags: z.array(z.string()),
  notes: z.array(z.object({ at: z.string(), by: z.string(), text: z.string() })),
  at: z.string(),
});
export type VersionReport = z.infer<typeof VersionReport>;

/** The lineage of one project, parents before their children: the document of `evotrainer lineage --json`. */
export const LineageReport = z.object({
  project: z.string(),
  domain: z.string(),
  versions: z.array(VersionReport),
  procedure: z
    .array(
      z.object({
        version: z.string().describe("The version that changes were made of."),
        generation: z.int(),
        failures: z.int(),
        step: z.enum(procedureSteps),
        target: z.string(),
        reason: z.string(),
        at: z.string(),
      }),
    )
    .optional()
    .describe("What was done instead of one more change of the same kind, after failures in a row."),
  wear: z
    .object({
      looks: z.int().nonnegative().describe("Comparisons on the selection split."),
      expectedOptimism: z
        .number()
        .describe("By how much the best of so many may seem better than it is, as a share."),
      freshDrawDue: z.boolean(),
      sentence: z.string(),
    })
    .optional()
    .describe("How worn the selection split is; absent for an imported lineage."),
  changedEvidence: z
    .array(z.string())
    .optional()
    .describe("What became of evidence files after the jobs of their runs had ended, one sentence for each."),
  notices: z
    .array(z.string())
    .optional()
    .describe("That the ledger was rewound, rewritten or changed by hand, and what to do."),
  quarantined: z
    .array(z.object({ path: z.string(), reason: z.string() }))
    .optional()
    .describe("What of the ledger's branch cannot be used, or is told under another name."),
});
export type LineageReport = z.infer<typeof LineageReport>;
