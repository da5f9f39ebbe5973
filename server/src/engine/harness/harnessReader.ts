import type { Project } from "../../project/project.ts";
import { withHarness } from "../project/harnessProject.ts";
import { readLineage, type Workspace } from "../workspace/workspace.ts";

/** Reads a project with what was admitted until now; why an admitted change does not count is noted once. */
export function harnessReader(
  workspace: Workspace,
  domain: string,
  note: (message: string) => void,
): (project: Project) => Promise<Project> {
  const said = new Set<string>();
  return async (project) => {
    const read = await withHarness(workspace.repository, await readLineage(workspace, domain), project);
    for (const message of read.notes.filter((one) => !said.has(one))) {
      said.add(message);
      note(message);
    }
    return read.project;
  };
}
