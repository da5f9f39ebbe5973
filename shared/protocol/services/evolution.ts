import * as z from "zod";
import { EvolutionEvents, EvolutionStatus } from "../views/evolution.ts";
import { service } from "./service.ts";

const place = () => ({
  host: z
    .string()
    .nullable()
    .exactOptional()
    .describe("Host in evotrainer.yaml, null for this machine; by default where it ran before."),
  autonomy: z.enum(["full", "human_gated"]).exactOptional(),
});

export const evolution = {
  "evolution.status": service({
    says: "Where the evolution stands: its process, its step, who waits for an answer, and who has the archive.",
    editor: true,
    params: () => z.object({}),
    result: () => EvolutionStatus,
  }),
  "evolution.events": service({
    says: "What the evolution has reported since an offset.",
    editor: true,
    params: () =>
      z.object({
        id: z.string().exactOptional(),
        offset: z.int().nonnegative().default(0),
        limit: z
          .int()
          .min(1024)
          .max(1024 ** 2)
          .default(262_144),
      }),
    result: () => EvolutionEvents,
  }),
  "evolution.start": service({
    says: "Runs a generation; the first one comes after the base policy and the baseline. If a generation has begun, this finishes that one instead.",
    editor: true,
    params: () =>
      z.object({
        ...place(),
        generations: z.int().min(1).max(1000).default(1).describe("How many more generations."),
        restart: z
          .boolean()
          .default(false)
          .describe("A new evolution from HEAD; the old one stays in the lineage."),
      }),
    result: () => EvolutionStatus,
  }),
  "evolution.continue": service({
    says: "Goes on with an evolution that was stopped, killed, or waited for an answer that has come.",
    editor: true,
    params: () => z.object(place()),
    result: () => EvolutionStatus,
  }),
  "evolution.stop": service({
    says: "Ends the process that works on the evolution; its jobs go on unless they are cancelled as well.",
    editor: true,
    params: () => z.object({ cancelJobs: z.boolean().default(false) }),
    result: () => EvolutionStatus,
  }),
};
