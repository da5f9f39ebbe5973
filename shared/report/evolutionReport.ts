import * as z from "zod";
import { Factor } from "../spec/common.ts";
import { AuditGap } from "../ledger/auditScore.ts";
import { Comparison, LabelCount, Score } from "../ledger/measures.ts";
import { HypothesisResult } from "../ledger/hypothesisResult.ts";
import { CalibrationFigures, Seeds, Stage } from "../ledger/testing.ts";
import { Measured, Origin } from "../ledger/ledger.ts";
import { ClosedFile } from "../ledger/closing.ts";
import { gateAnswers, shownDecisions } from "../words/decisions.ts";

/** Who answered which gate of a version, and how. */
const Approval = z.object({
  at: z.string(),
  gate: z.string(),
  answer: z.enum(gateAnswers),
  by: z.string(),
  comment: z.string().nullable(),
});

/** A job of a version as the ledger has it; times in seconds. */
const ReportedJob = z.object({
  at: z.string(),
  job: z.string(),
  failure: z.string().nullable(),
  message: z.string(),
  seconds: z.number().nullable(),
  trainSeconds: z.number().nullable(),
  evaluationSeconds: z.number().nullable(),
  host: z.string().nullable(),
  gpus: z.number().nullable().describe("Of each seed's job; null where the ledger does not say."),
  price: z.object({ amount: z.number(), currency: z.string() }).nullable(),
});

/** A decision with what it rests on. */
const ReportedDecision = z.object({
  at: z.string(),
  decision: z.enum(shownDecisions),
  reason: z.string(),
  stage: Stage.nullable(),
  comparison: Comparison.nullable(),
  confidence: z
    .number()
    .nullable()
    .describe("Before it was corrected for the candidates; null in ledgers of earlier releases."),
  candidates: z.number().nullable(),
  hypothesis: HypothesisResult.nullable().describe("What became of the hypothesis."),
  evidence: z
    .array(z.object({ rollout: z.string(), turns: z.array(z.int()), label: z.string() }))
    .describe("Rollouts and turns that show the reason."),
});

export const ReportedVersion = z.object({
  name: z.string(),
  alias: z.string().nullable().describe("The name that a person gave it."),
  commit: z.string(),
  parent: z.string().nullable(),
  merges: z.string().nullable().describe("Of a merge: its second parent."),
  without: z.string().nullable().describe("The version whose edits it takes out."),
  joins: z.string().nullable().optional().describe("The tried version whose edits it has as well."),
  generation: z.int(),
  at: z.string(),
  title: z.string(),
  factor: Factor.nullable(),
  author: z.string().nullable().describe("Who proposed it, or the format that it was imported from."),
  hypothesis: z.string().nullable(),
  score: Score.nullable().describe("On the selection split."),
  cleanScore: z.number().nullable(),
  cleanBy: z.string().nullable(),
  measured: Measured.nullable().describe("What another tool measured."),
  seeds: Seeds.nullable(),
  labels: z.array(LabelCount),
  looks: z
    .array(z.object({ at: z.string(), seeds: Seeds, verdict: z.string(), reason: z.string() }))
    .describe("Each look at it as a candidate."),
  decisions: z.array(ReportedDecision).describe("In their order; the last one is in force."),
  pending: z.string().nullable().describe("Why it is not decided yet."),
  approvals: z.array(Approval),
  jobs: z.array(ReportedJob),
  audit: Score.nullable().describe("On the audit split, which is sealed until a version is promoted."),
  auditGap: AuditGap.optional().describe(
    "What the audit says beside the score; left out where the two cannot be compared.",
  ),
  promotion: z.object({ at: z.string(), gap: z.number().nullable(), reason: z.string() }).nullable(),
  claims: z.array(z.string()).describe("What the ledger says of it that nobody who is trusted here signed."),
  tags: z.array(z.string()),
  notes: z.array(z.object({ at: z.string(), by: z.string(), text: z.string() })),
  origin: Origin.nullable(),
});
export type ReportedVersion = z.infer<typeof ReportedVersion>;

/** The document of `evotrainer export --format json`: one evolution, and all that its decisions rest on. */
export const EvolutionReport = z.object({
  schema: z.literal(1),
  tool: z.object({ name: z.literal("EvoTrainer"), release: z.string() }),
  made: z.string().describe("When this report was made."),
  project: z.string(),
  domain: z.string(),
  ledger: z.string().nullable().describe("The commit of the ledger that was read."),
  specs: z
    .object({
      commit: z.string().nullable().describe("The commit that the newest evolution began with."),
      apiVersion: z.string(),
      diagnostics: z
        .array(z.object({ name: z.string(), revision: z.string().nullable() }))
        .describe("Those that labelled its rollouts, with the revisions that did."),
    })
    .describe("The versions of the specs."),
  versions: z.array(ReportedVersion).describe("Parents before their children."),
  selection: z
    .object({
      looks: z.int().describe("How often the selection split was looked at to decide on a version."),
      comparisons: z.array(
        z.object({
          at: z.string(),
          version: z.string(),
          against: z.string(),
          purpose: z.enum(["screening", "decision"]),
        }),
      ),
    })
    .describe("The selections that were made on the selection split."),
  sealed: z
    .array(
      z.object({
        at: z.string(),
        version: z.string(),
        what: z.enum(["measured", "promoted"]),
        says: z.string(),
      }),
    )
    .describe("When the sealed audit split was opened, and for what; empty while it is sealed."),
  calibration: z
    .array(CalibrationFigures.extend({ at: z.string(), version: z.string(), sentences: z.array(z.string()) }))
    .describe("What was found out of the noise before changes were tried."),
  procedure: z
    .array(z.object({ at: z.string(), failures: z.int(), step: z.string(), reason: z.string() }))
    .describe("What was done after several failures in a row."),
  costs: z.object({
    jobs: z.int(),
    seconds: z.number().describe("Of all jobs whose duration is known."),
    withoutSeconds: z.int().describe("Jobs whose duration is not known."),
    gpuHours: z.number().nullable().describe("Null where no job says how many GPUs it had."),
    prices: z.array(z.object({ amount: z.number(), currency: z.string() })).describe("By currency."),
    machines: z
      .array(
        z.object({
          host: z.string(),
          jobs: z.number(),
          hours: z.number(),
          cost: z.object({ amount: z.number(), currency: z.string() }).nullable(),
        }),
      )
      .describe("What the machines' own records say, as far as they are on this machine."),
  }),
  proposers: z
    .array(
      z.object({
        proposer: z.string(),
        proposed: z.int(),
        kept: z.int(),
        rejected: z.int(),
        invalid: z.int(),
        refused: z.int().describe("Dropped before they were trained."),
        open: z.int().describe("Not decided yet."),
      }),
    )
    .describe("What became of what each proposer proposed."),
  evidence: z
    .array(
      z.object({
        at: z.string(),
        version: z.string(),
        run: z.string(),
        files: z.array(
          ClosedFile.omit({ stamp: true }).extend({
            copy: z.string().nullable().describe("Its path beside this report, where it was copied."),
          }),
        ),
      }),
    )
    .describe("The evidence files of each run as they were when its job had ended."),
  warnings: z.array(z.string()).describe("What a reader has to know before trusting this report: sentences."),
});
export type EvolutionReport = z.infer<typeof EvolutionReport>;
