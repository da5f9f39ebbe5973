import * as z from "zod";
import { Name } from "../spec/common.ts";
import { Comparison, Score } from "./measures.ts";

const Share = z.object({ value: z.number(), low: z.number(), high: z.number() });

/** What most of a version's new passes have in common and next to none of its parent's passes; shares of rollouts, in [0, 1]. */
export const NewWay = z.object({
  name: z
    .string()
    .describe("The draft of a diagnostic that says it; `evotrainer gaps --write` writes its file."),
  when: z.string().describe("The condition of the draft."),
  label: z.string().nullable().describe("A label in force that says the same; null where none does."),
  ofNew: Share.describe(
    "Of the version's passes on items of which the parent fails at least half: those with it.",
  ),
  ofParent: Share.nullable().describe(
    "Of the parent's passes on the same items; null where there are too few, and then ofParentAll counts.",
  ),
  ofParentAll: Share.describe("Of all rollouts of the parent on the same items."),
  passing: Share.describe("Of the version's rollouts with it: those that pass."),
  examples: z
    .array(z.object({ rollout: z.string(), turns: z.array(z.number()) }))
    .describe("Passes with it, as run/id, and the turns that show it."),
});
export type NewWay = z.infer<typeof NewWay>;

/** How the policy of a version that changes its environment does in that of its parent, on the selection split. */
export const InParentEnvironment = z.object({
  parent: Name,
  score: Score.nullable().describe("Null where it could not be evaluated there; `because` says why."),
  comparison: Comparison.nullable().describe(
    "With the parent, both in the parent's environment; null where no item has a known outcome in both.",
  ),
  because: z.string().optional().describe("Why it could not be evaluated, in a sentence."),
  switched: z
    .array(z.string())
    .optional()
    .describe(
      "What of the environment is switched on, off or over: no limit, which is a number other than 0 on both sides; earlier releases did not say.",
    ),
});
export type InParentEnvironment = z.infer<typeof InParentEnvironment>;
