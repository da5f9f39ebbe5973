import { trim } from "../../evidence/ingest/retention.ts";
import { defineService } from "../workspace/service.ts";

/** Drops the text of training rollouts and keeps what was computed from it. */
export const archiveTrim = defineService("archive.trim", {
  repeatable: true,
  run: ({ store }, { versions, startedBefore }, { signal }) =>
    trim(store, {
      versions,
      signal,
      ...(startedBefore === undefined ? {} : { startedBefore: new Date(startedBefore) }),
    }),
});
