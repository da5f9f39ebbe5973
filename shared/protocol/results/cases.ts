import * as z from "zod";
import { Decision } from "../../ledger/ledger.ts";
import { Factor } from "../../spec/common.ts";

const Share = z.number().min(0).max(1);

/** A decided version beside the one that was asked about. */
const NearCase = z.object({
  version: z.string(),
  parent: z.string(),
  factor: Factor.nullable(),
  edits: z.array(z.string()).describe("What it changed, one line each; empty where the ledger does not say."),
  triggers: z.array(z.string()).describe("What it answered."),
  decision: Decision,
  ended: z
    .enum(["better", "worse", "noise", "invalid", "held", "unmeasured"])
    .describe("noise: the interval of its difference holds 0; held: its gain may be a shortcut."),
  effect: z
    .object({ difference: z.number(), low: z.number(), high: z.number(), confidence: z.number() })
    .nullable()
    .describe("Difference of the score to its parent, in [-1, 1]."),
  distance: Share.describe("0 for the same change of a version with the same failures."),
  edit: Share.nullable().describe("The distance of the changes; null where none was asked about."),
  failures: Share.nullable().describe(
    "The distance of what the parents fail at; null where it is not known.",
  ),
});
export type NearCase = z.infer<typeof NearCase>;

/** Answer of `versions.cases`. */
export const NearCases = z.object({
  version: z.string(),
  asks: z
    .enum(["change", "failures"])
    .describe(
      "change: cases near its own change. failures: cases of versions that failed at the same things.",
    ),
  edits: z.array(z.string()),
  total: z.int().nonnegative().describe("How many decided versions there are."),
  cases: z.array(NearCase),
});
export type NearCases = z.infer<typeof NearCases>;

const Ranked = z.object({
  name: z.string(),
  source: z.enum(["intervention", "skill", "move", "combination"]),
  factor: Factor,
  edits: z.array(z.string()),
  answers: z.array(z.string()).describe("The findings that it may answer here."),
  declared: z.number().nullable().describe("What its author expects of the score; null where nobody said."),
  expected: z
    .object({ mean: z.number(), low: z.number(), high: z.number() })
    .describe("With its 90 % interval."),
  improvement: z.number().describe("The mean of what is above 0 of that: what trying it is worth."),
  cost: z.number().describe("Against a usual version."),
  seconds: z
    .number()
    .nullable()
    .describe("Training and evaluation of one seed; null where nothing was trained."),
  worth: z.number().describe("improvement / cost."),
  cases: z.array(z.object({ version: z.string(), difference: z.number(), weight: z.number() })),
  backtest: z
    .object({
      rollouts: z.int(),
      groups: z.int(),
      deadBefore: z.int(),
      deadAfter: z.int(),
      rarer: z.array(z.string()),
      moreFrequent: z.array(z.string()),
      paidMost: z
        .object({ term: z.string(), rollouts: z.int(), passed: z.int(), usual: z.number() })
        .nullable()
        .default(null)
        .describe(
          "The rollouts that a new term of the reward pays most, and how many passed; `usual` is the share that passed of all. null without a new term.",
        ),
    })
    .nullable()
    .describe("null where it changes neither reward nor filter, or nothing is archived."),
  chosenFor: z
    .string()
    .nullable()
    .describe("The finding that it would be proposed for; null where others go first."),
  why: z.string(),
});

/** Answer of `proposals.explain`: what the search did, step by step. */
export const SearchExplained = z.object({
  parent: z.string(),
  seed: z.int(),
  findings: z.array(z.string()),
  consulted: z.object({
    cases: z.int().describe("Decided versions."),
    rollouts: z.int().describe("Archived training rollouts that changed rewards were replayed on."),
  }),
  made: z
    .object({ intervention: z.int(), skill: z.int(), move: z.int(), combination: z.int().default(0) })
    .describe("How many ideas each source made."),
  ranked: z.array(Ranked).describe("In their order, before each finding had its turn."),
  refused: z.array(
    z.object({
      name: z.string(),
      source: z.enum(["intervention", "skill", "move", "combination"]),
      edits: z.array(z.string()),
      stage: z
        .enum(["novelty", "backtest", "check"])
        .describe(
          "novelty: it was tried. backtest: the archive speaks against it. check: it may not be proposed.",
        ),
      why: z.string(),
    }),
  ),
});
export type SearchExplained = z.infer<typeof SearchExplained>;
