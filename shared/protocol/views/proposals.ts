// A namespace, so that a webview carries only the part of zod that it uses.
import * as z from "zod";
import { gateNames } from "../../spec/gates.ts";
import { gateAnswerers, gateAnswers, proposalStates } from "../../words/decisions.ts";
import { ProposerRecord } from "../results/proposerRecord.ts";

/** An answer that a proposal's design gate was given. */
const ProposalAnswer = z.object({
  answer: z.enum(gateAnswers),
  by: z.string(),
  at: z.string(),
  comment: z.string().nullable(),
  hunks: z.object({ taken: z.number(), of: z.number() }).nullable(),
});
type ProposalAnswer = z.infer<typeof ProposalAnswer>;

/** A proposal in a list. `commit` is what waits, or what was taken; `reason` why it was dropped or rejected. */
export const ProposalSummary = z.object({
  id: z.string(),
  parent: z.string(),
  commit: z.string(),
  title: z.string(),
  factor: z.string().nullable(),
  intervention: z.string().nullable(),
  proposer: z.string(),
  at: z.string(),
  state: z.enum(proposalStates),
  reason: z.string().nullable(),
  answers: z.array(ProposalAnswer),
  /** What the ledger says of it that nobody who is trusted here signed: it opens nothing. */
  claims: z.array(z.string()).optional(),
});
export type ProposalSummary = z.infer<typeof ProposalSummary>;

/** A gate that waits for an answer; `why` says who is asked and why, and is null where the rule answers when `evolve` runs. */
export const WaitingGate = z.object({
  version: z.string(),
  gate: z.enum(gateNames),
  /** Of the diagnosis gate. */
  generation: z.number().optional(),
  title: z.string(),
  why: z.string().nullable(),
  who: z.enum(gateAnswerers).optional(),
});
export type WaitingGate = z.infer<typeof WaitingGate>;

/** Answer of `proposals.list`. `why` says why a person is asked; null where the rule in force answers. */
export const ProposalList = z.object({
  domain: z.string(),
  why: z.string().nullable(),
  proposals: z.array(ProposalSummary),
  gates: z.array(WaitingGate).optional().describe("What waits at which gate."),
});
export type ProposalList = z.infer<typeof ProposalList>;

/** Lines are counted from 0 and keep their line ends. */
export const ProposalHunk = z.object({
  id: z.string(),
  baseStart: z.number(),
  proposedStart: z.number(),
  removed: z.array(z.string()),
  added: z.array(z.string()),
});
export type ProposalHunk = z.infer<typeof ProposalHunk>;

/** A file of the project that a proposal changes; a text is null where there is no such file. */
export const ProposalFile = z.object({
  path: z.string(),
  base: z.string().nullable(),
  proposed: z.string().nullable(),
  hunks: z.array(ProposalHunk),
});
export type ProposalFile = z.infer<typeof ProposalFile>;

/** Answer of `proposals.show`: what a reviewer decides by. Seconds are of all jobs of a version together. */
export const Proposal = ProposalSummary.extend({
  files: z.array(ProposalFile),
  hypothesis: z.string(),
  because: z.string().nullable(),
  targets: z.array(z.string()),
  fixes: z.array(z.string()),
  risks: z.array(z.string()),
  success: z.object({ metric: z.string(), atLeast: z.number(), confidence: z.number() }).nullable(),
  guardrails: z.array(z.object({ metric: z.string(), atMost: z.number() })),
  backtest: z
    .object({ summary: z.string(), figures: z.record(z.string(), z.number().nullable()) })
    .nullable(),
  cost: z.object({ median: z.number(), low: z.number(), high: z.number(), versions: z.number() }).nullable(),
  /** How far its changed code was tried, in a sentence; null where only values change. */
  trial: z.string().nullable().optional(),
  /** Versions that made the same change before, or changed the same value, and how each ended. */
  tried: z
    .array(
      z.object({
        version: z.string(),
        on: z.string().describe("What it was made of."),
        how: z.enum(["same change", "same value", "same factor"]),
        edits: z.array(z.string()),
        ended: z.enum(["better", "worse", "noise", "invalid", "held", "unmeasured"]),
        difference: z.number().nullable(),
        reason: z.string(),
      }),
    )
    .optional(),
  /** What the parent fails at that this answers: each finding with its share and rollouts. */
  answersTo: z
    .array(
      z.object({
        name: z.string(),
        labelled: z.number(),
        rollouts: z.number(),
        over: z.literal("group").optional(),
      }),
    )
    .optional(),
  /** Targets that are no label: whether the parent has the finding, and what that says of it in numbers. Asked for with the record. */
  answersFound: z
    .array(z.object({ name: z.string(), holds: z.boolean().nullable(), message: z.string().nullable() }))
    .optional(),
  /** Null where it was not asked for, or nothing was predicted before. */
  record: ProposerRecord.nullable(),
});
export type Proposal = z.infer<typeof Proposal>;

/** Answer of `proposals.answer`: where the proposal stands now, and the branch that holds what was taken. */
export const AnsweredProposal = z.object({
  id: z.string(),
  state: z.enum(proposalStates),
  commit: z.string(),
  branch: z.string().nullable(),
  hunks: z.object({ taken: z.number(), of: z.number() }).nullable(),
  gate: z.enum(gateNames).optional().describe("The gate that was answered."),
  admitted: z
    .string()
    .optional()
    .describe("Of a harness version that was approved: whether it is in force from then on, and why."),
});

/** Answer of `proposals.try`: what came of trying the changed code of a proposal. */
export const TriedProposal = z.object({
  id: z.string(),
  commit: z.string(),
  ok: z.boolean(),
  message: z.string(),
  seconds: z.number(),
});

/** Answer of `proposals.make`. */
export const MadeProposals = z.object({
  proposals: z.array(
    z.object({
      id: z.string(),
      parent: z.string(),
      commit: z.string(),
      title: z.string(),
      because: z.string(),
      backtest: z.string(),
      dropped: z.string().nullable(),
      warnings: z
        .array(z.string())
        .describe("Versions nearby that made the same change and were quarantined or worse."),
    }),
  ),
  passedOver: z
    .array(z.string())
    .describe("What the search did not choose because of what came of it before."),
});

export type MadeProposals = z.infer<typeof MadeProposals>;

/** Answer of `versions.revert`. */
export const RevertedVersion = z.object({
  version: z.string(),
  reverts: z.string(),
  title: z.string().describe("What the reverted version had changed."),
  filesOf: z.string(),
  commit: z.string(),
  branch: z.string(),
});

/** Answer of `versions.promote`. */
export const PromotedVersion = z.object({
  version: z.string(),
  gap: z.number().nullable(),
  reason: z.string(),
});
