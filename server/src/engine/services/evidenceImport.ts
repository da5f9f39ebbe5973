import { z } from "zod";
import { Split } from "../../../../shared/model/rollout.ts";
import { projectOrBare } from "../bareProject.ts";
import { importEvidence } from "../importEvidence.ts";
import { defineService } from "./service.ts";

/** Brings files of any known format into the archive. Doing it again changes nothing. */
export const evidenceImport = defineService({
  name: "evidence.import",
  repeatable: true,
  params: z.object({
    paths: z.array(z.string().min(1)).min(1).describe("Absolute paths of files and folders."),
    as: z.string().exactOptional().describe("The format, whatever the files look like."),
    version: z.string().min(1).exactOptional(),
    run: z.string().min(1).exactOptional(),
    split: Split.exactOptional(),
    passWhen: z.string().exactOptional().describe("CEL that decides rollouts whose source has no verdict."),
  }),
  async run({ store, root }, params, { signal, progress }) {
    const { diagnostics } = await projectOrBare(root);
    return importEvidence(store, params, {
      diagnostics: diagnostics.map((d) => d.spec),
      signal,
      onProgress: (message) => progress({ message }),
    });
  },
});
