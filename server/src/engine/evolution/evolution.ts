import { readEvents } from "../evolution/events.ts";
import { startEvolution } from "../evolution/start.ts";
import { evolutionStatus } from "../evolution/status.ts";
import { stopEvolution } from "../evolution/stop.ts";
import { definePlainService } from "../workspace/service.ts";
import { assertTrusted } from "../workspace/trusted.ts";

/** Where the evolution stands: its process, its step, who waits for an answer, and who has the archive. */
export const evolutionStatusService = definePlainService("evolution.status", {
  repeatable: true,
  run: ({ root }) => evolutionStatus(root),
});

/** What the evolution told since an offset. */
export const evolutionEvents = definePlainService("evolution.events", {
  repeatable: true,
  run: ({ root }, query) => readEvents(root, query),
});

/** Runs a generation, the first one after the base policy and the baseline; one that was begun is finished instead. */
export const evolutionStart = definePlainService("evolution.start", {
  // A second start finds the first.
  repeatable: false,
  run(context, { generations, ...options }, { signal }) {
    assertTrusted(context, "An evolution");
    return startEvolution(context.root, { ...options, more: generations, signal });
  },
});

/** Goes on with an evolution that was stopped, killed, or waited for an answer that it has now. */
export const evolutionContinue = definePlainService("evolution.continue", {
  repeatable: false,
  run(context, options, { signal }) {
    assertTrusted(context, "An evolution");
    return startEvolution(context.root, { ...options, signal });
  },
});

/** Ends the process that works on the evolution; its jobs go on unless they are cancelled as well. */
export const evolutionStop = definePlainService("evolution.stop", {
  repeatable: true,
  run(context, options) {
    assertTrusted(context, "An evolution");
    return stopEvolution(context.root, options);
  },
});
