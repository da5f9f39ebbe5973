import { z } from "zod";
import { readEvents } from "./events.ts";
import { startEvolution } from "./start.ts";
import { evolutionStatus } from "./status.ts";
import { stopEvolution } from "./stop.ts";
import { definePlainService } from "../workspace/service.ts";
import { assertTrusted } from "../workspace/trusted.ts";

const place = {
  host: z
    .string()
    .nullable()
    .exactOptional()
    .describe("Host in evotrainer.yaml, null for this machine; where it ran before when left out."),
  autonomy: z.enum(["full", "human_gated"]).exactOptional(),
};

/** Where the evolution stands: its process, its step, who waits for an answer, and who has the archive. */
export const evolutionStatusService = definePlainService({
  name: "evolution.status",
  repeatable: true,
  params: z.object({}),
  run: ({ root }) => evolutionStatus(root),
});

/** What the evolution told since an offset. */
export const evolutionEvents = definePlainService({
  name: "evolution.events",
  repeatable: true,
  params: z.object({
    id: z.string().exactOptional(),
    offset: z.int().nonnegative().default(0),
    limit: z
      .int()
      .min(1024)
      .max(1024 ** 2)
      .default(262_144),
  }),
  run: ({ root }, query) => readEvents(root, query),
});

/** Runs a generation, the first one after the base policy and the baseline; one that was begun is finished instead. */
export const evolutionStart = definePlainService({
  name: "evolution.start",
  // A second start finds the first.
  repeatable: false,
  params: z.object({
    ...place,
    generations: z.int().min(1).max(1000).default(1).describe("How many more."),
    restart: z
      .boolean()
      .default(false)
      .describe("A new evolution from HEAD; the old one stays in the lineage."),
  }),
  run(context, { generations, ...options }, { signal }) {
    assertTrusted(context, "An evolution");
    return startEvolution(context.root, { ...options, more: generations, signal });
  },
});

/** Goes on with an evolution that was stopped, killed, or waited for an answer that it has now. */
export const evolutionContinue = definePlainService({
  name: "evolution.continue",
  repeatable: false,
  params: z.object(place),
  run(context, options, { signal }) {
    assertTrusted(context, "An evolution");
    return startEvolution(context.root, { ...options, signal });
  },
});

/** Ends the process that works on the evolution; its jobs go on unless they are cancelled as well. */
export const evolutionStop = definePlainService({
  name: "evolution.stop",
  repeatable: true,
  params: z.object({ cancelJobs: z.boolean().default(false) }),
  run(context, options) {
    assertTrusted(context, "An evolution");
    return stopEvolution(context.root, options);
  },
});
