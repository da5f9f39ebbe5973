import { z } from "zod";
import { trim } from "../../evidence/ingest/retention.ts";
import { defineService } from "../workspace/service.ts";

/** Drops the text of training rollouts and keeps what was computed from it. */
export const archiveTrim = defineService({
  name: "archive.trim",
  repeatable: true,
  params: z.object({
    versions: z.array(z.string().min(1)).min(1),
    startedBefore: z.iso.datetime().exactOptional(),
  }),
  run: ({ store }, { versions, startedBefore }, { signal }) =>
    trim(store, {
      versions,
      signal,
      ...(startedBefore === undefined ? {} : { startedBefore: new Date(startedBefore) }),
    }),
});
