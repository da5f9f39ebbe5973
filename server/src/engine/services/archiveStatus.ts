import { archiveStatus as statusOf } from "../../evidence/archiveStatus.ts";
import { defineService } from "./service.ts";

/** How large the archive is, what is in it, and what compaction would give back. */
export const archiveStatus = defineService("archive.status", {
  repeatable: true,
  run: ({ store }) => statusOf(store),
});
