import * as z from "zod";
import { Name } from "../spec/common.ts";

/** The skill that a proposal was made with, and what it was expected to do then: what came of it is held against that. */
export const SkillUse = z.object({
  name: Name,
  expected: z
    .object({
      difference: z.number(),
      low: z.number(),
      high: z.number(),
      uses: z.int().positive().describe("How many measured versions it is expected from."),
    })
    .nullable()
    .describe(
      "Change of the skill's metric (a score in [0, 1]), with the 95 % interval of one further use; null without any measured version.",
    ),
});
export type SkillUse = z.infer<typeof SkillUse>;
