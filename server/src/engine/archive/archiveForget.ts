import { z } from "zod";
import { forget } from "../../evidence/ingest/retention.ts";
import { defineService } from "../workspace/service.ts";

/** Drops everything of a version or of a run from the archive. What is forgotten already is forgotten. */
export const archiveForget = defineService({
  name: "archive.forget",
  repeatable: true,
  params: z.object({
    target: z.union([
      z.strictObject({ version: z.string().min(1) }),
      z.strictObject({ run: z.string().min(1) }),
    ]),
    deleteFiles: z
      .boolean()
      .default(false)
      .describe("Also delete the files that lie in the engine's folder."),
  }),
  run: ({ store }, { target, deleteFiles }) => forget(store, target, { deleteFiles }),
});
