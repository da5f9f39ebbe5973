import * as z from "zod";
import { hostAddress } from "./hostAddress.ts";

const printable = /^[^\p{Cc}]*$/u;

/** A value of an option of sbatch: nothing that could be an option of its own, or more than one line. */
const SlurmValue = z
  .string()
  .regex(/^[^-\s\p{Cc}][^\p{Cc}]{0,199}$/u, "Use one line that does not begin with '-' or a blank.");

/** How jobs are asked of Slurm; docs/slurm.md. What is left out is as the cluster has it. */
export const SlurmSpec = z.strictObject({
  partition: SlurmValue.optional().describe("Partition, or several separated by commas."),
  account: SlurmValue.optional().describe("The account that jobs are charged to."),
  qos: SlurmValue.optional().describe("Quality of service."),
  reservation: SlurmValue.optional().describe("A reservation of the cluster that jobs use."),
  constraint: SlurmValue.optional().describe("Features that the nodes must have."),
  minutes: z
    .int()
    .min(1)
    .optional()
    .describe("Time limit; by default the budget of the trainer and three minutes."),
  cpus: z.int().min(1).optional().describe("Processors of the trainer's process."),
  memory: z
    .string()
    .regex(/^[1-9]\d{0,9}[KMGT]?$/, "Write it as Slurm does, e.g. 64G.")
    .optional()
    .describe("Memory per node, e.g. 64G."),
  nodes: z
    .int()
    .min(1)
    .optional()
    .describe("Nodes; the trainer's command starts on the first, and srun from there."),
  gres: SlurmValue.optional().describe("Generic resources, instead of gpus, e.g. gpu:h100:2."),
  array: z
    .boolean()
    .default(false)
    .describe("If the seeds of a version start together, EvoTrainer submits them as one array."),
  requeue: z
    .boolean()
    .default(false)
    .describe("If a trainer's node fails or goes to another job, the trainer begins again in the same run."),
  options: z
    .array(z.string().regex(/^--[a-z][a-z-]*(=[^\p{Cc}]*)?$/u, "Write an option as --name or --name=value."))
    .default([])
    .describe("More options of sbatch."),
});
export type SlurmSpec = z.infer<typeof SlurmSpec>;

/** What of a run comes back to this machine beside its evidence and its logs. */
const ArtefactRule = z.strictObject({
  policies: z
    .enum(["all", "kept"])
    .default("all")
    .describe(
      "all: the policy of every run that is over. kept: those of kept versions, and whatever a later run starts from.",
    ),
  files: z
    .array(
      z
        .string()
        .max(200)
        .regex(
          /^(?!\.{0,2}(\/|$))(?!.*\/\.{0,2}(\/|$))[A-Za-z0-9_.*?@+=,/ -]+$/,
          "Use a path in the run's folder; * and ? stand for any characters of a name.",
        ),
    )
    .max(50)
    .default([])
    .describe("More files and folders of the run's folder, e.g. tensorboard or checkpoints/*/config.json."),
  quota: z
    .number()
    .positive()
    .optional()
    .describe("GB that copies of its runs may take up here; jobs keep running when the limit is reached."),
});
type ArtefactRule = z.infer<typeof ArtefactRule>;

const VariableName = z
  .string()
  .regex(/^[A-Za-z_][A-Za-z0-9_]{0,127}$/, "Use letters, digits and '_', and no digit first.");

/** How jobs are asked of Ray; docs/ray.md. What is left out is as the cluster has it. */
export const RaySpec = z.strictObject({
  address: z
    .string()
    .regex(
      /^(?:[A-Za-z0-9][A-Za-z0-9.-]{0,252}|\[[0-9A-Fa-f:.]{2,45}\]):[1-9]\d{0,4}$/,
      "Write it as host:port, as seen from the host that ssh leads to.",
    )
    .default("127.0.0.1:8265")
    .describe("Where Ray's dashboard listens, as seen from the host that ssh leads to."),
  cpus: z.number().nonnegative().max(65536).optional().describe("Processors for the trainer's command."),
  gpus: z
    .number()
    .nonnegative()
    .max(1024)
    .optional()
    .describe("GPUs for the trainer's command, also parts of one; by default gpus of the host."),
  memory: z
    .string()
    .regex(/^[1-9]\d{0,9}[KMGT]?$/, "Write it as a number with a unit, e.g. 64G.")
    .optional()
    .describe("Memory for the trainer's command, e.g. 64G; without a unit in bytes."),
  resources: z
    .record(
      z.string().min(1).max(100).regex(printable, "Leave out line breaks and control characters."),
      z.number().positive(),
    )
    .default({})
    .describe("Resources of the cluster by name."),
  runtimeEnv: z
    .looseObject({
      env_vars: z.record(VariableName, z.string()).optional().describe("Environment variables of the job."),
    })
    .default({})
    .describe("Ray's runtime_env: pip, conda, py_modules, env_vars and so on."),
  metadata: z.record(z.string().min(1).max(100), z.string()).default({}).describe("Shown by the dashboard."),
  options: z
    .record(
      z
        .string()
        .regex(/^entrypoint_[a-z_]{1,60}$/, "Name a field of the request that begins with entrypoint_."),
      z.unknown(),
    )
    .default({})
    .describe("More fields of the request, e.g. entrypoint_label_selector."),
  tokenVariable: z
    .string()
    .regex(/^(?:RAY|EVOTRAINER)_[A-Z0-9_]{1,60}$/, "Use a name that begins with RAY_ or EVOTRAINER_.")
    .optional()
    .describe("Name of the environment variable here that holds the dashboard's token, e.g. RAY_AUTH_TOKEN."),
});
export type RaySpec = z.infer<typeof RaySpec>;

/** What jobs on a host cost. */
export const HostPrice = z
  .strictObject({
    perHour: z.number().nonnegative().default(0).describe("What an hour of one job costs."),
    perGpuHour: z
      .number()
      .nonnegative()
      .default(0)
      .describe("What an hour of each GPU of a job costs in addition to that."),
    currency: z
      .string()
      .regex(/^[A-Z]{3}$/, "Use three capital letters, such as USD or EUR.")
      .default("USD")
      .describe("The currency of the price."),
  })
  .describe("What jobs there cost. Views then say what was spent, and EvoTrainer chooses the cheaper host.");
export type HostPrice = z.infer<typeof HostPrice>;

/** What the jobs of a host may take together. A job is started only where all that it may take still fits. */
export const HostBudget = z
  .strictObject({
    hours: z.number().positive().optional().describe("Hours of jobs, added up."),
    cost: z.number().positive().optional().describe("What they may cost, in the currency of price."),
    per: z
      .enum(["evolution", "day"])
      .default("evolution")
      .describe("Whether this is for an evolution as a whole or for any 24 hours."),
  })
  .refine(({ hours, cost }) => hours !== undefined || cost !== undefined, "Give hours, cost, or both.");
export type HostBudget = z.infer<typeof HostBudget>;

const HostFields = z.strictObject({
  ssh: z
    .string()
    .regex(hostAddress, "Use the name of a host in ~/.ssh/config, or an address.")
    .optional()
    .describe("Host in ~/.ssh/config, or an address; by default the name of this entry."),
  user: z
    .string()
    .regex(/^[A-Za-z0-9_][A-Za-z0-9._@-]{0,63}$/, "Use letters, digits, '.', '_', '-' and '@'.")
    .optional()
    .describe("User there, if ~/.ssh/config does not say."),
  port: z.int().min(1).max(65535).optional().describe("Port of ssh there, if ~/.ssh/config does not say."),
  directory: z
    .string()
    .regex(/^(~\/|\/)/, "Start with / or ~/.")
    .regex(printable, "Leave out line breaks and control characters.")
    .default("~/.evotrainer/work")
    .describe("The folder for code, policies and runs there."),
  gpus: z
    .int()
    .nonnegative()
    .max(1024)
    .default(0)
    .describe("GPUs that each job gets for itself; with 0, EvoTrainer does not assign any."),
  jobs: z
    .int()
    .min(1)
    .max(1000)
    .optional()
    .describe(
      "Jobs that run there at the same time; by default budgets.parallelJobs, and 64 with slurm or ray.",
    ),
  price: HostPrice.optional(),
  budget: HostBudget.optional().describe("What jobs there may use; unlimited by default."),
  python: z
    .string()
    .regex(/^[^-\p{Cc}][^\p{Cc}]*$/u, "Name a program.")
    .default("python3")
    .describe(
      "The Python that `evotrainer doctor` asks for torch; by default the one that trainer.command starts, if it names one.",
    ),
  local: z
    .boolean()
    .default(false)
    .describe(
      "EvoTrainer runs commands on this machine instead of over ssh, for work on a login node or the head of a cluster.",
    ),
  slurm: SlurmSpec.optional().describe(
    "EvoTrainer gives jobs to Slurm there instead of starting them itself.",
  ),
  ray: RaySpec.optional().describe("EvoTrainer gives jobs to Ray there instead of starting them itself."),
  compress: z
    .enum(["none", "gzip"])
    .default("none")
    .describe("How evidence and logs travel while they grow; gzip costs the host processor time."),
  bandwidth: z
    .number()
    .positive()
    .optional()
    .describe("MB per second that evidence, policies and artefacts together may use."),
  quota: z
    .number()
    .positive()
    .optional()
    .describe("GB that this project may take up there; beyond that, EvoTrainer submits no job."),
  artefacts: ArtefactRule.prefault({}).describe(
    "What EvoTrainer copies back in addition to evidence and logs.",
  ),
  environment: z
    .record(z.string().regex(/^[A-Za-z_][A-Za-z0-9_]*$/), z.string())
    .default({})
    .describe("Extra environment of jobs there, e.g. PATH; it overrides trainer.environment."),
});

/** A machine that jobs run on, reached with the user's own ssh client. */
export const HostSpec = HostFields.refine(({ slurm, ray }) => slurm === undefined || ray === undefined, {
  path: ["ray"],
  message: "Give jobs to slurm or to ray, not to both.",
}).refine(({ budget, price }) => budget?.cost === undefined || price !== undefined, {
  path: ["budget", "cost"],
  message: "A budget of money needs a price of the host.",
});
export type HostSpec = z.infer<typeof HostSpec>;
