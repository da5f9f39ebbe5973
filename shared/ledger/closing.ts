import * as z from "zod";

/** An evidence file of a run as it was when the run's job had ended. */
export const ClosedFile = z.object({
  name: z.string().min(1).max(100).describe("Its name in the folder of the run."),
  bytes: z.int().nonnegative(),
  sha256: z.string().regex(/^[0-9a-f]{64}$/),
  stamp: z
    .string()
    .max(100)
    .optional()
    .describe("Marks the file on the machine where it was closed: while it is the same, nobody wrote to it."),
});
export type ClosedFile = z.infer<typeof ClosedFile>;
