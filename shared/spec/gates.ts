import * as z from "zod";

/** The gates of an evolution, in the order in which a version comes to them. */
export const gateNames = ["diagnosis", "design", "backtest", "completion"] as const;
export type GateName = (typeof gateNames)[number];

/** Who can answer a gate. */
const answerers = ["human", "rule", "proposer-of-another-kind"] as const;
const Answerer = z.enum(answerers);

/** `gates` in evotrainer.yaml. */
export const GatesSpec = z.strictObject({
  autonomy: z
    .enum(["full", "human_gated"])
    .default("human_gated")
    .describe(
      "Who answers the gates that have no setting below. human_gated: a person answers design and completion. full: the rule does.",
    ),
  diagnosis: Answerer.optional().describe(
    "Who answers after a version is diagnosed, before anything is proposed for it; by default the rule.",
  ),
  design: Answerer.optional().describe(
    "Who answers after a change is proposed; by default as autonomy says.",
  ),
  backtest: Answerer.optional().describe(
    "Who answers after a proposal was tried on the archive, before it is trained; by default the rule.",
  ),
  completion: Answerer.optional().describe(
    "Who answers before the best version is promoted, which opens the audit split; by default as autonomy says.",
  ),
  firstVersionsGated: z
    .int()
    .nonnegative()
    .default(3)
    .describe("A person answers design and completion until this many versions of the domain are decided."),
  escalateAfterFailures: z
    .int()
    .positive()
    .default(2)
    .describe(
      "After this many failures in a row a person answers design and completion, whatever the other settings say.",
    ),
  questionAfterFailures: z
    .int()
    .positive()
    .optional()
    .describe(
      "After this many failures in a row, by default 3, EvoTrainer asks for something else: a change of another factor, or a change that answers another finding.",
    ),
});
export type GatesSpec = z.infer<typeof GatesSpec>;

/** `budgets` in evotrainer.yaml. */
export const BudgetsSpec = z.strictObject({
  generations: z
    .int()
    .positive()
    .default(4)
    .describe("How many times changes are proposed, tested and decided."),
  variantsPerGeneration: z
    .int()
    .positive()
    .default(2)
    .describe("How many interventions to try side by side in one generation."),
  parallelJobs: z
    .int()
    .positive()
    .default(1)
    .describe(
      "How many jobs run at the same time on this machine, and on each host that does not set its own number.",
    ),
  gpuHours: z
    .number()
    .nonnegative()
    .optional()
    .describe("GPU hours of all jobs of one evolution, by the GPUs that each host declares."),
  money: z
    .number()
    .nonnegative()
    .optional()
    .describe("What all jobs of one evolution may cost, in the currency of the hosts' prices."),
  wallClockHours: z
    .number()
    .nonnegative()
    .optional()
    .describe("Hours in which jobs of one evolution run; jobs that run side by side count once."),
  versions: z
    .int()
    .nonnegative()
    .optional()
    .describe(
      "How many versions one evolution may run jobs for, including the base policy and the baseline.",
    ),
  trainings: z
    .int()
    .nonnegative()
    .optional()
    .describe("How many trainings one evolution may start: each seed of each version is one."),
  tokens: z
    .int()
    .nonnegative()
    .optional()
    .describe("Tokens that one evolution may use in language models, by what its ledger records."),
});
export type BudgetsSpec = z.infer<typeof BudgetsSpec>;
