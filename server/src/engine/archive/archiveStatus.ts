import { archiveStatus as statusOf } from "../../evidence/store/archiveStatus.ts";
import { defineService } from "../workspace/service.ts";

/** How large the archive is, what is in it, and what compaction would give back. */
export const archiveStatus = defineService("archive.status", {
  repeatable: true,
  run: ({ store }) => statusOf(store),
});
