import { z } from "zod";

const printable = /^[^\p{Cc}]*$/u;

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
  environment: z
    .record(z.string().regex(/^[A-Za-z_][A-Za-z0-9_]*$/), z.string())
    .default({})
    .describe("Extra environment of jobs there, e.g. PATH; it goes before trainer.environment."),
});
export type HostSpec = z.infer<typeof HostSpec>;
