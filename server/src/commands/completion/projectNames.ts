import { HarnessError } from "../../base/errors.ts";
import { jobNames } from "../../engine/jobs/lookUp.ts";
import { findEvidenceRoot, projectOrBare } from "../../engine/project/bareProject.ts";
import { runsFolder } from "../../engine/workspace/archive.ts";
import { engineFolderOf, openWorkspace, readLineage } from "../../engine/workspace/workspace.ts";
import { loadProjectSpec } from "../../project/project.ts";
import { workTree } from "../../project/source.ts";
import type { NameKind } from "./completions.ts";

/**
 * The names of a kind that the project around `cwd` has; none where there is no project, or a broken one. The archive is
 * not opened: a Tab must not wait for it, nor make it.
 */
export async function projectNames(kind: NameKind, cwd: string): Promise<readonly string[]> {
  try {
    switch (kind) {
      case "versions": {
        const workspace = await openWorkspace(cwd, { readOnly: true });
        const { domain } = await loadProjectSpec(workTree(workspace.root));
        return (await readLineage(workspace, domain)).versions.map(({ name }) => name);
      }
      case "labels":
        return (await projectOrBare(await findEvidenceRoot(cwd))).diagnostics.map(({ spec }) => spec.name);
      case "jobs":
        return await jobNames(runsFolder({ engineFolder: engineFolderOf(await findEvidenceRoot(cwd)) }));
    }
  } catch (e) {
    if (HarnessError.is(e)) return [];
    throw e;
  }
}
