import * as z from "zod";
import { ApiVersion, Factor, Name, ProjectPath, Scalar, ValuePath } from "./common.ts";

/** What came of a version that a skill was used in. */
const skillOutcomes = ["confirmed", "refuted", "inside_noise"] as const;
export type SkillOutcome = (typeof skillOutcomes)[number];

/** One change of a skill; what stood there before differs from project to project. */
const SkillEdit = z.strictObject({
  file: ProjectPath.optional().describe("The file in the project that it was found in."),
  path: ValuePath.describe("The path of the value in the file."),
  from: Scalar.optional().describe("The value that it was found to replace."),
  to: Scalar.describe("The value that it gets."),
});
export type SkillEdit = z.infer<typeof SkillEdit>;

/** A version that was made with the skill, and what came of it. */
const SkillValidation = z.strictObject({
  domain: Name.describe("The domain of that version."),
  version: Name.describe("The version that the skill was used in."),
  against: Name.optional().describe("The version that it was compared with; by default its parent."),
  metric: Name.default("solve_rate").describe("The metric that was measured."),
  change: z.number().describe("Measured change of the metric."),
  low: z.number().optional().describe("Lower end of the change's 95 % interval."),
  high: z.number().optional().describe("Upper end of the change's 95 % interval."),
  outcome: z.enum(skillOutcomes).default("confirmed").describe("What came of it."),
  used: z
    .boolean()
    .optional()
    .describe(
      "Whether the skill was applied in it, so that a prediction came true or not; absent for the version that it was made from.",
    ),
  commit: z
    .string()
    .regex(/^[0-9a-f]{40,64}$/)
    .optional()
    .describe("The version's commit, which tells it from one of the same name in another project."),
});
export type SkillValidation = z.infer<typeof SkillValidation>;

/** `*.skill.yaml`: a reusable trigger, intervention and expected outcome, with the versions that bear it out. */
export const SkillSpec = z.strictObject({
  apiVersion: ApiVersion,
  kind: z.literal("Skill"),
  name: Name.describe("The skill's name, which its file has too."),
  description: z.string().min(1).optional().describe("What it does and why, in a sentence or two."),
  domains: z.array(Name).optional().describe("Domains that it is for; by default every domain."),
  when: z
    .strictObject({
      targets: z.array(Name).min(1).describe("Labels, alerts or rules that call for it."),
      because: z.string().min(1).optional().describe("What else must hold, in words."),
    })
    .describe("When it applies."),
  factor: Factor,
  edit: z.array(SkillEdit).min(1).describe("What it changes: values of one factor."),
  intervention: Name.optional().describe("The intervention of this project that it was made from."),
  expects: z
    .strictObject({
      metric: Name.default("solve_rate").describe("The metric that should move."),
      direction: z.enum(["increase", "decrease"]).describe("Where it should move."),
      atLeast: z.number().nonnegative().optional().describe("Smallest change that is expected."),
    })
    .describe("What the next use is expected to do."),
  guardrails: z
    .array(
      z.strictObject({
        metric: Name.describe("The label or metric that is limited."),
        atMost: z.number().describe("Its largest value; for a label its rate, from 0 to 1."),
      }),
    )
    .default([])
    .describe("Limits that the version must keep to, whatever it wins."),
  validations: z
    .array(SkillValidation)
    .default([])
    .describe("Versions that it was tried in; it is shared once two domains confirm it."),
  retired: z
    .strictObject({ because: z.string().min(1).describe("Why it was taken out of use.") })
    .optional()
    .describe("Somebody took it out of use: it is neither offered nor applied."),
  source: z.string().min(1).optional().describe("Where it comes from: a paper, a report, a run."),
  tags: z.array(Name).default([]).describe("Words to find it by."),
});
export type SkillSpec = z.infer<typeof SkillSpec>;
