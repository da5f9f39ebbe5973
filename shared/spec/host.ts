import * as z from "zod";

const printable = /^[^\p{Cc}]*$/u;

/** A value of an option of sbatch: nothing that could be an option of its own, or more than one line. */
const SlurmValue = z
  .string()
  .regex(/^[^-\s\p{Cc}][^\p{Cc}]{0,199}$/u, "Use one line that does not begin with '-' or a blank.");

/** How jobs are asked of Slurm; docs/slurm.md. What is left out is as the cluster has it. */
export const SlurmSpec = z.strictObject({
  partition: SlurmValue.optional().describe("Partition, or several with commas between them."),
  account: SlurmValue.optional(),
  qos: SlurmValue.optional(),
  reservation: SlurmValue.optional(),
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
  options: z
    .array(z.string().regex(/^--[a-z][a-z-]*(=[^\p{Cc}]*)?$/u, "Write an option as --name or --name=value."))
    .default([])
    .describe("More options of sbatch."),
});
export type SlurmSpec = z.infer<typeof SlurmSpec>;

/** A machine that jobs run on, reached with the user's own ssh client. */
export const HostSpec = z.strictObject({
  ssh: z
    .string()
    .regex(/^[A-Za-z0-9_][A-Za-z0-9._:-]{0,252}$/, "Use the name of a host in ~/.ssh/config, or an address.")
    .optional()
    .describe("Host in ~/.ssh/config, or an address; by default the name of this entry."),
  user: z
    .string()
    .regex(/^[A-Za-z0-9_][A-Za-z0-9._@-]{0,63}$/, "Use letters, digits, '.', '_', '-' and '@'.")
    .optional()
    .describe("User there, when ~/.ssh/config does not say."),
  port: z.int().min(1).max(65535).optional(),
  directory: z
    .string()
    .regex(/^(~\/|\/)/, "Start with / or ~/.")
    .regex(printable, "Leave out line breaks and control characters.")
    .default("~/.evotrainer/work")
    .describe("Where code, policies and runs lie there."),
  gpus: z
    .int()
    .nonnegative()
    .max(1024)
    .default(0)
    .describe("GPUs that each job gets for itself; 0: jobs are not told."),
  price: z
    .strictObject({
      perHour: z.number().nonnegative().describe("What an hour of one job costs."),
      currency: z
        .string()
        .regex(/^[A-Z]{3}$/, "Use three capital letters, such as USD or EUR.")
        .default("USD"),
    })
    .optional()
    .describe("What jobs there cost; the view of a job then says what it has cost so far."),
  python: z
    .string()
    .regex(/^[^-\p{Cc}][^\p{Cc}]*$/u, "Name a program.")
    .default("python3")
    .describe("The Python that `evotrainer doctor` asks for torch."),
  local: z
    .boolean()
    .default(false)
    .describe("Commands run on this machine instead of over ssh: for work on a login node of Slurm."),
  slurm: SlurmSpec.optional().describe("Jobs are given to Slurm there instead of being started."),
  environment: z
    .record(z.string().regex(/^[A-Za-z_][A-Za-z0-9_]*$/), z.string())
    .default({})
    .describe("Extra environment of jobs there, e.g. PATH; it goes before trainer.environment."),
});
export type HostSpec = z.infer<typeof HostSpec>;
