import * as z from "zod";
import { Name, ProjectPath } from "./common.ts";

const VariableName = z.string().regex(/^[A-Za-z_][A-Za-z0-9_]*$/, "Use the name of an environment variable.");

const common = {
  name: Name.refine(
    (name) => name !== "search" && name !== "catalogue",
    "Every project already has the search; use another name.",
  ).describe("The proposer's name, for `propose --proposer`."),
  owns: z
    .array(z.string().min(1))
    .min(1)
    .optional()
    .describe(
      "The surfaces that it may change, by their factor or file; by default all. Changes to other surfaces are refused.",
    ),
  feedback: z
    .enum(["on", "off"])
    .default("on")
    .describe("off hides from it what came of earlier changes, to measure what knowing that is worth."),
};

const SearchProposer = z.strictObject({
  ...common,
  kind: z.literal("search").describe("EvoTrainer's own search, which needs no model and no network."),
});

export type SearchProposer = z.infer<typeof SearchProposer>;

const ModelProposer = z.strictObject({
  ...common,
  kind: z.literal("model").describe("A language model that reads the evidence with tools."),
  model: Name.describe("The model, by its name under `models`."),
  prompt: ProjectPath.optional().describe(
    "A file of the project with the instructions to the model; by default those that come with EvoTrainer.",
  ),
  steps: z
    .int()
    .min(1)
    .max(200)
    .default(24)
    .describe("How many times the model may be called for one question."),
  tokens: z
    .int()
    .positive()
    .default(400_000)
    .describe("Tokens that one question may use, those sent and those answered together."),
  answerTokens: z
    .int()
    .min(256)
    .max(200_000)
    .default(8192)
    .describe("The largest number of tokens in one answer of the model."),
});
export type ModelProposer = z.infer<typeof ModelProposer>;

const AgentProposer = z.strictObject({
  ...common,
  kind: z.literal("agent").describe("A program that edits files in a checkout of the version."),
  command: z
    .array(z.string().min(1))
    .min(1)
    .describe("Program and arguments, run in a checkout of the version; no shell."),
  environment: z
    .array(VariableName)
    .max(100)
    .default([])
    .describe(
      "Names of environment variables that it gets, such as the one that holds its key; no file holds their values.",
    ),
  seconds: z.number().positive().max(86_400).default(900).describe("How long it may take each time."),
  processes: z.int().min(1).max(10_000).default(128).describe("How many processes it may have at a time."),
  outputBytes: z
    .int()
    .min(1024)
    .max(1024 ** 3)
    .default(8 * 1024 ** 2)
    .describe("How much it may print; if it prints more it is stopped."),
});
export type AgentProposer = z.infer<typeof AgentProposer>;

/** Whoever proposes changes by itself, besides the search. */
export const ProposerSpec = z.discriminatedUnion("kind", [SearchProposer, ModelProposer, AgentProposer]);
export type ProposerSpec = z.infer<typeof ProposerSpec>;

/** What tokens of a model cost. */
export const ModelPrice = z.strictObject({
  currency: z
    .string()
    .regex(/^[A-Z]{3}$/, "Use three capital letters, e.g. EUR.")
    .describe("The currency of the price."),
  input: z.number().nonnegative().describe("For a million tokens that are sent."),
  output: z.number().nonnegative().describe("For a million tokens that are answered."),
});
export type ModelPrice = z.infer<typeof ModelPrice>;
