import * as z from "zod";

/**
 * none: nothing was started. running: a process works on it. gate: it waits for approvals. interrupted: its process was
 * stopped or killed and it can go on. blocked: it cannot go on as it is. failed: its process ended with an error. done.
 */
const evolutionStates = ["none", "running", "gate", "interrupted", "blocked", "failed", "done"] as const;

/** Who has the archive: nobody, the process that answers, the evolution, or another process. */
export const ArchiveOwner = z.object({
  type: z.enum(["none", "self", "evolution", "other"]),
  pid: z.number().nullable(),
});
export type ArchiveOwner = z.infer<typeof ArchiveOwner>;

/** Where the evolution of a project stands. */
export const EvolutionStatus = z.object({
  state: z.enum(evolutionStates),
  /** One sentence: what it does, or why it does nothing and what to do. */
  message: z.string(),
  pid: z.number().nullable(),
  host: z.string().nullable(),
  startedAt: z.string().nullable(),
  phase: z.string().nullable(),
  step: z.string().nullable(),
  generation: z.number(),
  generations: z.number(),
  /** Versions that wait for an answer at a gate. */
  waiting: z.array(z.object({ version: z.string(), title: z.string() })),
  /** Names of the hosts in evotrainer.yaml. */
  hosts: z.array(z.string()),
  /** Those of them that jobs run on when nobody says otherwise, as trainer.hosts has them; empty: this machine. */
  usualHosts: z.array(z.string()),
  owner: ArchiveOwner,
  /** Which events there are: they are read with this id and an offset. */
  events: z.string().nullable(),
});
export type EvolutionStatus = z.infer<typeof EvolutionStatus>;

/** An event of the loop with its time. Fields depend on `type`; what no reader knows is kept. */
export const EvolutionEvent = z.looseObject({ at: z.string(), type: z.string() });
export type EvolutionEvent = z.infer<typeof EvolutionEvent>;

/** Events from an offset on. Another `id` than the one asked for means that they were read from their beginning. */
export const EvolutionEvents = z.object({
  id: z.string().nullable(),
  events: z.array(EvolutionEvent),
  next: z.number(),
  over: z.boolean(),
});
export type EvolutionEvents = z.infer<typeof EvolutionEvents>;
