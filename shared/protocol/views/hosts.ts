import * as z from "zod";

/** One thing that was looked at on a host. */
export const HostFinding = z.object({
  about: z.string(),
  /** bad: no job can run; note: some jobs cannot, or something is worth knowing. */
  state: z.enum(["good", "note", "bad"]),
  found: z.string(),
  /** What to do about it; null when it is good. */
  mend: z.string().nullable(),
});
export type HostFinding = z.infer<typeof HostFinding>;

/** Answer of hosts.check. */
export const HostReport = z.object({ host: z.string(), findings: z.array(HostFinding) });
export type HostReport = z.infer<typeof HostReport>;

/** Answer of hosts.list: hosts that jobs can run on, wherever they are named. */
export const HostList = z.object({
  hosts: z.array(
    z.object({
      name: z.string(),
      from: z.enum(["project", "settings", "user"]),
      /** As user@address:port, where the entry says it; the rest is in ~/.ssh/config. */
      target: z.string(),
      gpus: z.number(),
      slurm: z.boolean(),
    }),
  ),
  /** What is wrong with entries outside the project. */
  problems: z.array(z.string()),
});
export type HostList = z.infer<typeof HostList>;

/** Answer of hosts.candidates: what the configuration of ssh names. */
export const HostCandidates = z.object({
  config: z.string(),
  hosts: z.array(
    z.object({
      ssh: z.string(),
      /** user@address:port as ssh resolves it; null when it cannot. */
      target: z.string().nullable(),
      /** Jump hosts on the way; null for none. */
      jump: z.string().nullable(),
      /** The entry that names it already. */
      known: z.string().nullable(),
    }),
  ),
});
export type HostCandidates = z.infer<typeof HostCandidates>;

/** Answer of hosts.entry: an entry that fits, and evotrainer.yaml with it. */
export const HostEntry = z.object({
  name: z.string(),
  /** As the settings of the editor hold it. */
  entry: z.record(z.string(), z.unknown()),
  path: z.string(),
  /** The whole new text of the file; null where it names the host already. */
  text: z.string().nullable(),
});
export type HostEntry = z.infer<typeof HostEntry>;
