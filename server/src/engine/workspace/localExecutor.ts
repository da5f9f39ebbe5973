import { join } from "node:path";
import type { Executor } from "../../runner/job/executor.ts";
import { LocalExecutor } from "../../runner/local.ts";
import { runsFolder } from "./archive.ts";
import type { Workspace } from "./workspace.ts";

/** The executor of this machine: its keeper lies beside the bundle that is running. */
export function localExecutor(
  workspace: Pick<Workspace, "engineFolder">,
  keeper = join(__dirname, "keeper.sh"),
): Executor {
  return new LocalExecutor({ runsDirectory: runsFolder(workspace), keeper });
}
