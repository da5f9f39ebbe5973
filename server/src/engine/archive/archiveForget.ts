import { forget } from "../../evidence/ingest/retention.ts";
import { defineService } from "../workspace/service.ts";

/** Drops everything of a version or of a run from the archive. What is forgotten already is forgotten. */
export const archiveForget = defineService("archive.forget", {
  repeatable: true,
  run: ({ store }, { target, deleteFiles }) => forget(store, target, { deleteFiles }),
});
