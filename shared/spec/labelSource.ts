import * as z from "zod";
import { Rollout } from "../model/rollout.ts";
import { Name, ProjectPath } from "./common.ts";

/** Most rollouts that a program gets at once: its limits hold for as many. */
export const analyzerBatch = 1000;

/** A program that labels rollouts, for what an expression cannot say. */
export const AnalyzerSpec = z.strictObject({
  command: z
    .array(z.string().min(1))
    .min(1)
    .describe(
      "Program and arguments, run in the project's folder; no shell. It reads a rollout per line and writes a verdict per line.",
    ),
  files: z
    .array(ProjectPath)
    .default([])
    .describe(
      "The files that the program consists of: when one of them changes, EvoTrainer labels the rollouts again.",
    ),
  reads: z
    .array(Rollout.keyof())
    .min(1)
    .optional()
    .describe("The fields of a rollout that it gets in addition to run and id; by default all."),
  timeoutSeconds: z
    .number()
    .positive()
    .max(86_400)
    .default(300)
    .describe(`Seconds that it may take for ${analyzerBatch} rollouts.`),
  maxOutputMb: z
    .number()
    .positive()
    .max(1024)
    .default(16)
    .describe(`Megabytes that it may write for ${analyzerBatch} rollouts.`),
});
export type AnalyzerSpec = z.infer<typeof AnalyzerSpec>;

/** The model that a judge asks when it names none. */
export const defaultModel = "default";

/** A question to a language model about a sample of the rollouts. */
export const JudgeSpec = z.strictObject({
  rubric: z.string().min(1).max(20_000).describe("What to look for, in words."),
  answers: z
    .strictObject({
      yes: z.string().min(1).optional().describe("When the rollout is labelled."),
      no: z.string().min(1).optional().describe("When it is clear."),
      unsure: z.string().min(1).optional().describe("When the model should say that it cannot tell."),
    })
    .optional()
    .describe("What each answer means, if the rubric does not say."),
  model: Name.default(defaultModel).describe("A name under models in evotrainer.yaml."),
  sample: z.int().min(1).max(10_000).default(50).describe("How many rollouts of a version to ask about."),
  seed: z.int().nonnegative().default(1).describe("Another seed gives another sample."),
  contrast: z
    .union([z.boolean(), z.literal("parent")])
    .optional()
    .describe(
      "Also ask about each rollout of the sample beside one of the same item, and say how the answers differ: true, one with the other outcome; parent, one of the version's parent.",
    ),
});
export type JudgeSpec = z.infer<typeof JudgeSpec>;

/** What decides about a label; a spec has exactly one of them. */
export const labelSources = ["when", "analyzer", "judge"] as const;

export type LabelSource =
  | { readonly type: "when"; readonly when: string }
  | { readonly type: "analyzer"; readonly analyzer: AnalyzerSpec }
  | { readonly type: "judge"; readonly judge: JudgeSpec };

/** What decides about the label of a spec that was parsed. */
export function labelSourceOf({
  when,
  analyzer,
  judge,
}: {
  readonly when?: string | undefined;
  readonly analyzer?: AnalyzerSpec | undefined;
  readonly judge?: JudgeSpec | undefined;
}): LabelSource {
  if (analyzer !== undefined) return { type: "analyzer", analyzer };
  return judge === undefined ? { type: "when", when: when ?? "" } : { type: "judge", judge };
}
