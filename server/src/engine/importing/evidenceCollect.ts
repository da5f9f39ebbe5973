import { join } from "node:path";
import { collectRun, runsFolder } from "../workspace/archive.ts";
import { engineFolderOf } from "../workspace/workspace.ts";
import { defineService } from "../workspace/service.ts";

/** Brings what a finished run wrote into the archive; doing it twice changes nothing. */
export const evidenceCollect = defineService("evidence.collect", {
  repeatable: true,
  run: ({ store, root }, { run, version }) =>
    collectRun(store, {
      runDir: join(runsFolder({ engineFolder: engineFolderOf(root) }), run),
      run,
      version,
      final: true,
    }),
});
