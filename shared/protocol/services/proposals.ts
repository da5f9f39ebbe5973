import * as z from "zod";
import { Name, ProjectPath } from "../../spec/common.ts";
import { gateNames } from "../../spec/gates.ts";
import { InterventionSpec } from "../../spec/intervention.ts";
import {
  AnsweredProposal,
  MadeProposals,
  Proposal,
  ProposalList,
  TriedProposal,
} from "../views/proposals.ts";
import { SearchExplained } from "../results/cases.ts";
import { ProposerExam } from "../results/exam.ts";
import { service } from "./service.ts";

const sentence = () => z.string().trim().max(20_000);

export const proposals = {
  "proposals.list": service({
    says: "What waits at which gate, and proposals, the newest first: those that wait for an answer, or all that were ever made.",
    editor: true,
    params: () => z.object({ all: z.boolean().default(false) }),
    result: () => ProposalList,
  }),
  "proposals.show": service({
    says: "What a reviewer needs to decide: the hunks, what is claimed, its backtest, the proposer's record and what it will cost.",
    editor: true,
    params: () =>
      z.object({
        id: z.string(),
        record: z
          .boolean()
          .default(true)
          .describe(
            "Whether to look up how earlier predictions came out; it reads the rollouts of all versions.",
          ),
      }),
    result: () => Proposal,
  }),
  "proposals.make": service({
    says: "Proposes changes of a version: the search's choice, or an intervention that the request names or contains. Each waits at the design gate, like the proposals of the loop.",
    editor: true,
    params: () =>
      z.object({
        parent: Name.exactOptional().describe("The version to change; by default the evolution's champion."),
        proposer: Name.default("search"),
        intervention: z.union([Name, InterventionSpec]).exactOptional(),
        merge: z
          .tuple([Name, Name])
          .exactOptional()
          .describe("Two kept versions: the better one gets the edits of the other one as well."),
        diagnostic: z
          .object({ path: z.string().min(1), text: z.string().max(1024 * 1024) })
          .exactOptional()
          .describe(
            "A diagnostic that somebody wrote: it is added to how evidence is read, or replaces the one of its name. Nothing is trained.",
          ),
        without: Name.exactOptional().describe("The kept version whose edit is taken out of the parent."),
        count: z.int().min(1).max(16).default(1).describe("If the proposer chooses: how many at most."),
        hints: z
          .array(sentence().min(1))
          .max(20)
          .default([])
          .describe("What a model or an agent that proposes should look at, in a person's words."),
        trusted: z.boolean().default(false).describe("Whether diagnostics may run programs and ask models."),
      }),
    result: () => MadeProposals,
  }),
  "proposals.explain": service({
    says: "What the search would propose of a version and why: every idea with its cases, expected effect, cost and backtest, and what was refused. Nothing is proposed.",
    editor: true,
    params: () =>
      z.object({
        parent: Name.exactOptional().describe("The version to change; by default the evolution's champion."),
        count: z.int().min(1).max(16).default(1).describe("How many would be proposed at most."),
        trusted: z.boolean().default(false).describe("Whether diagnostics may run programs and ask models."),
      }),
    result: () => SearchExplained,
  }),
  "proposals.exam": service({
    says: "Hides how decided versions ended, has a proposer rank the drafts that were open at the same moment, and compares its order with what was measured and with chance. Nothing is proposed.",
    editor: false,
    params: () =>
      z.object({
        proposer: Name.default("search"),
        domain: Name.exactOptional().describe(
          "The lineage, by default the project's; another one may be imported.",
        ),
        trusted: z.boolean().default(false).describe("Whether models may be asked."),
      }),
    result: () => ProposerExam,
  }),
  "proposals.answer": service({
    says: "Answers a gate: takes all or some hunks of a proposal, sends it back with a comment, or rejects it with a reason. Without `gate` it answers the gate that the version waits at, but never the completion gate.",
    editor: true,
    params: () =>
      z.object({
        id: Name,
        gate: z.enum(gateNames).exactOptional(),
        answer: z.discriminatedUnion("type", [
          z.object({
            type: z.literal("approve"),
            hunks: z.array(z.string()).exactOptional(),
            comment: sentence().exactOptional(),
          }),
          z.object({
            type: z.literal("revise"),
            comment: sentence().min(1, "Say what should be different."),
            texts: z
              .array(z.object({ file: ProjectPath, text: z.string().max(4 * 1024 * 1024) }))
              .exactOptional(),
          }),
          z.object({ type: z.literal("reject"), reason: sentence().default("") }),
        ]),
        by: z.string().min(1).exactOptional(),
      }),
    result: () => AnsweredProposal,
  }),
  "proposals.try": service({
    says: "Runs the project's smoke command in a checkout of a proposal that changes code, and writes down what came of it. Nothing is approved.",
    editor: true,
    params: () => z.object({ id: Name }),
    result: () => TriedProposal,
  }),
};
