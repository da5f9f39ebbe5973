import { dirname, join, resolve } from "node:path";
import { exists } from "../../base/files.ts";
import { projectFile, loadProject, type Loaded } from "../../project/project.ts";
import { usedDiagnostics } from "../../project/library.ts";
import { workTree } from "../../project/source.ts";
import type { DiagnosticSpec } from "../../../../shared/spec/diagnostic.ts";
import type { ProjectSpec } from "../../../../shared/spec/project.ts";
import type { SpecProblem } from "../../project/readSpec.ts";
import { engineFolderOf } from "../workspace/workspace.ts";

/** What the verbs that look at evidence need of a project. */
export interface EvidenceProject {
  readonly domain: string;
  readonly aggregator: ProjectSpec["metric"]["aggregator"];
  readonly diagnostics: readonly Loaded<DiagnosticSpec>[];
  /** Language models by name. */
  readonly models: ProjectSpec["models"];
  readonly problems: readonly SpecProblem[];
}

/** The domain of evidence that was imported into a folder without a project. */
const bareDomain = "imported";

/** The project in a folder, or one with the library alone where there is only evidence. @throws HarnessError projectInvalid */
export async function projectOrBare(root: string): Promise<EvidenceProject> {
  if (!(await exists(join(root, projectFile))))
    return {
      domain: bareDomain,
      aggregator: "macro",
      diagnostics: usedDiagnostics({ use: "all", params: {}, domains: {} }, bareDomain),
      models: {},
      problems: [],
    };
  const { spec, diagnostics, problems } = await loadProject(workTree(root));
  return {
    domain: spec.domain,
    aggregator: spec.metric.aggregator,
    diagnostics,
    models: spec.models,
    problems,
  };
}

/**
 * The folder whose archive is meant: the nearest at or above `from` with a project or with an archive, otherwise `from`
 * itself, so that evidence can be looked at before there is a project.
 */
export async function findEvidenceRoot(from: string): Promise<string> {
  for (let folder = resolve(from); ; folder = dirname(folder)) {
    if ((await exists(join(folder, projectFile))) || (await exists(engineFolderOf(folder)))) return folder;
    if (dirname(folder) === folder) return resolve(from);
  }
}
