import * as z from "zod";
import { MetricNames } from "./metricNames.ts";
import { ApiVersion, Name, ProjectPath, ValuePath } from "./common.ts";
import { ParamValues } from "./diagnostic.ts";
import { BudgetsSpec, GatesSpec } from "./gates.ts";
import { HostSpec } from "./host.ts";
import { ModelPrice, ProposerSpec } from "./proposer.ts";
import { SearchSpec } from "./search.ts";
import { Surface } from "./surface.ts";
import { TripwiresSpec } from "./tripwires.ts";

export const FrozenKeys = z.strictObject({
  file: ProjectPath.describe("A file that no intervention may change."),
  paths: z
    .array(ValuePath)
    .min(1)
    .optional()
    .describe("Values that stay as they are in the parent; by default the whole file."),
});
export type FrozenKeys = z.infer<typeof FrozenKeys>;

const LibraryParams = z.record(Name, ParamValues);

/** Which of the diagnostics that come with EvoTrainer are used, and with which thresholds. */
export const LibraryUse = z.strictObject({
  use: z
    .union([z.enum(["all", "none"]), z.array(Name)])
    .default("all")
    .describe("all, none, or the names of those that the project uses."),
  params: LibraryParams.default({}).describe("Thresholds by diagnostic, in every domain."),
  domains: z
    .record(Name, LibraryParams)
    .default({})
    .describe("Thresholds by domain and diagnostic; they override params."),
});
export type LibraryUse = z.infer<typeof LibraryUse>;

/** A language model that judges and proposers ask, behind one of the two interfaces that nearly all servers speak. */
export const ModelSpec = z.strictObject({
  provider: z
    .enum(["openai", "anthropic"])
    .default("openai")
    .describe("The interface: openai is /chat/completions, anthropic is /messages."),
  url: z.url({ protocol: /^https?$/ }).describe("Base address, e.g. http://localhost:8000/v1."),
  model: z.string().min(1).describe("The model's name at that address."),
  keyFrom: z
    .string()
    .regex(/^[A-Za-z_][A-Za-z0-9_]*$/)
    .optional()
    .describe("The environment variable that holds the key; the key itself is never written to a file."),
  timeoutSeconds: z.number().positive().default(120).describe("How many seconds an answer may take."),
  parallel: z
    .int()
    .min(1)
    .max(64)
    .default(4)
    .describe("How many questions EvoTrainer asks at the same time."),
  price: ModelPrice.optional().describe("What its tokens cost, so that `budgets.money` counts proposers."),
});
export type ModelSpec = z.infer<typeof ModelSpec>;

/** How a candidate is tested: docs/statistics.md says what each number does. */
const Testing = z.strictObject({
  seeds: z
    .int()
    .min(1)
    .max(50)
    .default(8)
    .describe(
      "The most seeds of a version that are trained; few versions need so many. The first of trainer.seeds screens, and the rest replicate; after the largest, the next whole numbers are used. With 1, nothing is replicated.",
    ),
  calibrationSeeds: z
    .int()
    .min(2)
    .max(50)
    .default(4)
    .describe("How many seeds of the baseline are trained before the first generation."),
  errorRate: z
    .number()
    .positive()
    .max(0.5)
    .default(0.05)
    .describe("The share of kept versions that may be no better than their parent, over a whole evolution."),
  margin: z
    .number()
    .positive()
    .max(0.5)
    .default(0.02)
    .describe("A kept edit that is worth less than this is not needed: 0.02 is 2 points."),
  racing: z
    .boolean()
    .default(true)
    .describe("Whether a candidate that is worse at a checkpoint is stopped there."),
});

export const metricNames = ["solve_rate"] as const;

/** `evotrainer.yaml`. */
export const ProjectSpec = z.strictObject({
  apiVersion: ApiVersion,
  kind: z.literal("Project"),
  name: Name.describe("The project's name."),
  domain: Name.describe("Domain of the tasks, e.g. swe; versions live on evo/<domain>/<name>."),
  trainer: z
    .strictObject({
      command: z
        .array(z.string().min(1))
        .min(1)
        .describe("Program and arguments, run in a checkout of the version; no shell."),
      seeds: z.array(z.int().nonnegative()).min(1).default([1]).describe("One training job per seed."),
      budgetSeconds: z
        .number()
        .positive()
        .default(3600)
        .describe("Wall time after which a job is stopped as train_budget_overrun."),
      start: z
        .enum(["base", "parent"])
        .default("base")
        .describe("The policy that a version trains from: the base policy, or its parent's."),
      environment: z
        .record(z.string().regex(/^[A-Za-z_][A-Za-z0-9_]*$/), z.string())
        .default({})
        .describe("Extra environment of the trainer."),
      data: z
        .array(ProjectPath)
        .max(100)
        .default([])
        .describe(
          "Files and folders that runs read and that are not in git, such as corpora and models. Each run finds them at the same path; EvoTrainer sends each content to a host only once.",
        ),
      confine: z
        .enum(["auto", "require", "off"])
        .default("auto")
        .describe(
          "Whether jobs are confined: auto, if the machine can confine them; require, always, or else they do not start; off, never.",
        ),
      writable: z
        .array(
          z.string().regex(/^(?:\/|~\/)[^\p{Cc}]*$/u, "Write an absolute path, or one that begins with ~/."),
        )
        .max(100)
        .default([])
        .describe(
          "Files and folders outside the project that confined jobs may write to and that stay, such as a cache of models.",
        ),
      smoke: z
        .strictObject({
          command: z
            .array(z.string().min(1))
            .min(1)
            .describe("Program and arguments, run in a checkout of the version; no shell."),
          seconds: z
            .number()
            .positive()
            .max(3600)
            .default(60)
            .describe("How long it may take before it counts as failed."),
        })
        .optional()
        .describe(
          "A quick trial of changed code: a patch is approved only if this command exits with 0 in a checkout of it.",
        ),
      hosts: z
        .array(Name)
        .min(1)
        .optional()
        .describe(
          "Where its jobs run: names of hosts, here for this machine, any for all hosts. `--host` overrides it.",
        ),
    })
    .describe("How a version is trained and evaluated."),
  hosts: z
    .record(Name, HostSpec)
    .default({})
    .describe("Machines that jobs can run on, by name: `evotrainer evolve --host <name>`."),
  metricNames: MetricNames.default({}),
  metric: z
    .strictObject({
      name: z.enum(metricNames).default("solve_rate").describe("The score that decides."),
      aggregator: z
        .enum(["macro", "micro"])
        .default("macro")
        .describe("macro: mean over items of the item's mean; micro: mean over rollouts."),
    })
    .prefault({})
    .describe("The score that versions are compared by."),
  evaluation: z
    .strictObject({
      splits: z
        .strictObject({
          train: ProjectPath.describe("Items that the policy is trained on."),
          selection: ProjectPath.describe("Items that decide which versions are kept."),
          audit: ProjectPath.describe("Items that nothing reads until a version is promoted."),
        })
        .describe(
          "One JSONL file of items per split, each with an id. The audit split stays sealed until a version is promoted.",
        ),
      samples: z
        .int()
        .positive()
        .optional()
        .describe(
          "How many rollouts of each item the protocol makes on the selection and the audit split; EvoTrainer sets further ones aside. If you leave this out, any number counts.",
        ),
      rerun: z
        .enum(["always", "kept", "never"])
        .default("kept")
        .describe(
          "Which trainings are measured on the selection split by a separate job, which starts from the policy that they left and whose result decides. always: all of them. kept: every further seed, and the first seed of a version that looks better on it or is about to be kept. never: none; the job that trained a version measures it.",
        ),
      files: z
        .array(ProjectPath)
        .default([])
        .describe(
          "Evaluator, data and protocol: files, folders, or patterns such as eval/*.py. They are the same in every version, and no surface may be one of them; EvoTrainer compares them with the commit after each job.",
        ),
    })
    .describe("What EvoTrainer measures every version with."),
  surfaces: z.array(Surface).min(1).describe("What an intervention may change."),
  frozen: z
    .array(FrozenKeys)
    .default([])
    .describe("Hardware, parallelism and anything else that must stay as it is."),
  diagnostics: z
    .array(ProjectPath)
    .default(["harness/diagnostics"])
    .describe("Folders of *.diagnostic.yaml."),
  library: LibraryUse.prefault({}).describe(
    "The diagnostics that come with EvoTrainer; if the project has one of the same name, it replaces the shipped one.",
  ),
  models: z
    .record(Name, ModelSpec)
    .default({})
    .describe("Language models by the name under which judges and proposers ask them."),
  proposers: z
    .array(ProposerSpec)
    .max(32)
    .default([])
    .superRefine((proposers, context) => {
      for (const [i, { name }] of proposers.entries())
        if (proposers.findIndex((other) => other.name === name) < i)
          context.addIssue({
            code: "custom",
            path: [i, "name"],
            message: `Two proposers are called ${name}.`,
          });
    })
    .describe("Who proposes changes besides the search: `evotrainer propose --proposer <name>`."),
  search: SearchSpec.prefault({}).describe("What the built-in search goes by."),
  interventions: z
    .array(ProjectPath)
    .default(["harness/interventions"])
    .describe("Folders of *.intervention.yaml: the catalogue."),
  reward: ProjectPath.optional().describe(
    "The *.reward.yaml that the trainer reads; reward backtests start from it.",
  ),
  tripwires: TripwiresSpec.prefault({}).describe(
    "Alarms that may stop a training job while it runs, once enough archived runs show that they are seldom false.",
  ),
  gates: GatesSpec.prefault({}).describe("Who answers at each gate of an evolution."),
  testing: Testing.prefault({}).describe("How a candidate is tested before it is kept."),
  budgets: BudgetsSpec.prefault({}).describe("What an evolution may use before it stops."),
});
export type ProjectSpec = z.infer<typeof ProjectSpec>;
