import { z } from "zod";

// What a confined job sees of the machine: everything, read-only, with a few changes made in order.

/**
 * hide: an empty folder, or an unreadable file, stands there instead. show: it is there, and cannot be changed. keep: it is
 * there, and what the job writes stays. others: as hide, for every project of EvoTrainer in a host's folder. A path that does
 * not exist is passed over. `~/` is the home folder of the machine.
 */
export const Step = z.object({
  what: z.enum(["hide", "show", "keep", "others"]),
  path: z.string().regex(/^(?:\/|~\/)[^\0\r\n]*$/),
});
export type Step = z.infer<typeof Step>;

/** The program that confines a job, and the script by which it does; the same for every job of a machine. */
export const Confiner = z.object({ by: z.enum(["bwrap", "namespaces"]), script: z.string().min(1) });
export type Confiner = z.infer<typeof Confiner>;

/** How a job is confined. */
export const Confine = Confiner.extend({ steps: z.array(Step) });
export type Confine = z.infer<typeof Confine>;

/** Why jobs of a queue cannot be confined, as a clause. */
export const spreading = {
  slurm: "a job of Slurm can have Slurm start programs outside of it",
  ray: "a job of Ray can have Ray run programs outside of it",
} as const;

/** How a machine confines jobs, or why it cannot, as a clause. */
export type CanConfine = Confiner | CannotConfine;
export interface CannotConfine {
  readonly by: null;
  readonly reason: string;
}
