import type { Store } from "../../evidence/archive/store.ts";
import { resolveCommit } from "../../lineage/repository.ts";
import { readLoopState } from "../../loop/state.ts";
import { readLineage, type Workspace } from "../workspace/workspace.ts";
import type { HarnessGround } from "./assessHarness.ts";
import { projectAt } from "../project/harnessProject.ts";

/** Where harness versions are measured now: by the commit that the evolution began on, or else the newest of the branch. */
export async function harnessGround(
  { repository, engineFolder, ledger }: Pick<Workspace, "repository" | "engineFolder" | "ledger">,
  { store, domain }: { readonly store: Store; readonly domain: string },
): Promise<HarnessGround> {
  const state = await readLoopState(engineFolder);
  const base = state?.domain === domain ? state.base : await resolveCommit(repository, "HEAD");
  const lineage = await readLineage({ ledger }, domain);
  return { store, repository, engineFolder, lineage, project: await projectAt(repository, base) };
}
