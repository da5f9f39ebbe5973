import { setTimeout as delay } from "node:timers/promises";
import type { TestSlurm } from "../slurm/slurm.ts";
import type { SoakEngine } from "./engines.ts";
import type { SoakHost } from "./host.ts";
import type { Deed, SoakJob } from "./jobs.ts";

/** What is going on when a fault happens. */
export interface Scene {
  readonly host: SoakHost;
  readonly engine: SoakEngine;
  readonly other: SoakEngine;
  readonly jobs: readonly SoakJob[];
  readonly random: () => number;
}

export interface Fault {
  readonly name: string;
  /** Why the fault is impossible here; undefined where it is possible. */
  readonly missing?: (host: SoakHost) => string | undefined;
  /** The fault has to happen while the jobs are being submitted. */
  readonly atOnce?: boolean;
  readonly apply: (scene: Scene) => void | Promise<void>;
}

const between = (random: () => number, low: number, high: number): number => low + random() * (high - low);
const mark = (jobs: readonly SoakJob[], deed: Deed): void => {
  for (const { deeds } of jobs) deeds.add(deed);
};
const pick = ({ jobs, random }: Scene): SoakJob | undefined => jobs[Math.floor(random() * jobs.length)];

/** Everything that a connection, a machine and an engine have to survive. */
export const faults: readonly Fault[] = [
  { name: "connection cut", apply: ({ host }) => host.ssh.proxy.reset() },
  { name: "session killed", apply: ({ host }) => host.ssh.killSessions() },
  {
    name: "half-open link",
    apply: async ({ host, random }) => {
      host.ssh.proxy.freeze();
      await delay(between(random, 300, 5000));
      // Some links deliver what they held back, others do not.
      if (random() < 0.5) host.ssh.proxy.reset();
      host.ssh.proxy.thaw();
    },
  },
  {
    name: "keeper killed",
    apply: (scene) => {
      const job = pick(scene);
      if (job === undefined) return;
      if (scene.host.killKeeper(job.spec.id)) job.deeds.add("keeper killed");
    },
  },
  {
    name: "job killed",
    apply: (scene) => {
      const job = pick(scene);
      if (job === undefined) return;
      job.deeds.add("job killed");
      scene.host.killJob(job.spec.id);
    },
  },
  {
    name: "keeper and job killed",
    apply: (scene) => {
      const job = pick(scene);
      if (job === undefined) return;
      mark([job], "job killed");
      mark([job], "keeper killed");
      scene.host.killKeeper(job.spec.id);
      scene.host.killJob(job.spec.id);
    },
  },
  {
    name: "engine killed",
    apply: async ({ engine, random }) => {
      engine.kill();
      await delay(between(random, 0, 1500));
      await engine.start();
    },
  },
  {
    name: "host restarted",
    apply: async ({ host, jobs }) => {
      mark(jobs, "restart");
      await host.restart();
    },
  },
  {
    name: "disk full",
    missing: ({ canFill }) => (canFill ? undefined : "only root can mount a small disk"),
    apply: async ({ host, jobs, random }) => {
      mark(jobs, "disk full");
      host.fill();
      await delay(between(random, 300, 2000));
      host.free();
    },
  },
  {
    name: "host's clock jumps",
    apply: ({ host, random }) => host.setClock(Math.round(between(random, -86_400, 86_400))),
  },
  {
    name: "engine's clock jumps",
    apply: ({ engine, random }) =>
      engine.tell({ kind: "clock", milliseconds: between(random, -86_400_000, 86_400_000) }),
  },
  {
    name: "double submit",
    atOnce: true,
    apply: ({ engine, other, jobs }) => {
      // Versions belong to one project on one machine.
      for (const job of jobs.filter(({ isVersion }) => !isVersion)) {
        other.run(job);
        engine.run(job);
      }
    },
  },
];

const overSlurm = [
  "connection cut",
  "session killed",
  "half-open link",
  "job killed",
  "engine killed",
  "double submit",
];

/** What Slurm jobs have to survive: their nodes and the controller fail as well. */
export const slurmFaults = (slurm: TestSlurm): readonly Fault[] => [
  ...faults.filter(({ name }) => overSlurm.includes(name)),
  {
    name: "controller restarted",
    apply: async ({ random }) => {
      await slurm.controller("down");
      await delay(between(random, 0, 2000));
      await slurm.controller("up");
    },
  },
  {
    name: "node lost",
    apply: async ({ jobs, random }) => {
      mark(jobs, "node lost");
      const busy = slurm
        .ask("squeue", "-h", "-t", "R", "-o", "%N")
        .split("\n")
        .filter((name) => name !== "");
      const name = busy[Math.floor(random() * busy.length)] ?? "n1";
      slurm.cutNode(name);
      await delay(between(random, 0, 9000));
      await slurm.returnNode(name);
    },
  },
];
