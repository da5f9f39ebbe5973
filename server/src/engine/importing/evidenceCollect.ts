import { join } from "node:path";
import { z } from "zod";
import { JobId } from "../../runner/job/jobSpec.ts";
import { collectRun, runsFolder } from "../workspace/archive.ts";
import { engineFolderOf } from "../workspace/workspace.ts";
import { defineService } from "../workspace/service.ts";

/** Brings what a run that is over has written into the archive; twice comes to the same. */
export const evidenceCollect = defineService({
  name: "evidence.collect",
  repeatable: true,
  params: z.object({ run: JobId, version: z.string() }),
  run: ({ store, root }, { run, version }) =>
    collectRun(store, {
      runDir: join(runsFolder({ engineFolder: engineFolderOf(root) }), run),
      run,
      version,
      final: true,
    }),
});
