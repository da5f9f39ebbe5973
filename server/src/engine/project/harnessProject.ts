import type { DiagnosticSpec } from "../../../../shared/spec/diagnostic.ts";
import {
  changedDiagnostics,
  withAdmitted,
  type DiagnosticChange,
  type DiagnosticsInForce,
} from "../../decision/admission/inForce.ts";
import { findVersion, type Lineage } from "../../lineage/graph.ts";
import type { VersionRecord } from "../../lineage/records/versionRecord.ts";
import type { Repository } from "../../lineage/repository.ts";
import { loadProject, type Loaded, type Project } from "../../project/project.ts";
import { admittedHarness } from "../../proposals/standing/harnessVersions.ts";
import { commitSource } from "./commitSource.ts";

const known = new WeakMap<Repository, Map<string, Promise<Project>>>();

/** The project as a commit has it, read once. @throws HarnessError projectMissing, projectInvalid */
export function projectAt(repository: Repository, commit: string): Promise<Project> {
  const projects = known.get(repository) ?? new Map<string, Promise<Project>>();
  known.set(repository, projects);
  const found = projects.get(commit) ?? loadProject(commitSource(repository, commit));
  projects.set(commit, found);
  return found;
}

/** What one harness version changes of the diagnostics of its parent. */
export async function changesOfHarness(
  repository: Repository,
  { parent, commit }: { readonly parent: string; readonly commit: string },
): Promise<readonly Omit<DiagnosticChange, "version" | "onTrial">[]> {
  const [before, after] = [await projectAt(repository, parent), await projectAt(repository, commit)];
  return changedDiagnostics(specsOf(before), specsOf(after));
}

/** What the admitted harness versions change, in the order in which they were admitted. */
export async function admittedChanges(repository: Repository, lineage: Lineage): Promise<DiagnosticChange[]> {
  const changes: DiagnosticChange[] = [];
  for (const version of admittedHarness(lineage)) {
    const parent = parentCommit(lineage, version);
    if (parent === null) continue;
    const onTrial = version.decision?.admission?.verdict === "on_trial";
    for (const change of await changesOfHarness(repository, { parent, commit: version.commit }))
      changes.push({ ...change, version: version.name, onTrial });
  }
  return changes;
}

export interface HarnessProject extends Omit<DiagnosticsInForce<Loaded<DiagnosticSpec>>, "diagnostics"> {
  readonly project: Project;
}

/** A project with the diagnostics of the admitted harness versions, derived from the ledger each time. */
export async function withHarness(
  repository: Repository,
  lineage: Lineage,
  project: Project,
): Promise<HarnessProject> {
  return overlay(project, await admittedChanges(repository, lineage));
}

/** The same with changes that are at hand. */
export function overlay(project: Project, changes: readonly DiagnosticChange[]): HarnessProject {
  // Where a spec came from is only for messages about files; what a harness version has is in no work tree.
  const loaded = (spec: DiagnosticSpec): Loaded<DiagnosticSpec> => ({
    path: `${project.spec.diagnostics[0] ?? "."}/${spec.name}.diagnostic.yaml`,
    text: "",
    spec,
  });
  const { diagnostics, onTrial, notes } = withAdmitted(project.diagnostics, changes, loaded);
  return { project: { ...project, diagnostics }, onTrial, notes };
}

/** The commit of a version's parent; null for one without a parent. */
export function parentCommit(lineage: Lineage, { parent }: VersionRecord): string | null {
  return parent === null ? null : (findVersion(lineage, parent)?.commit ?? null);
}

const specsOf = ({ diagnostics }: Project): DiagnosticSpec[] => diagnostics.map(({ spec }) => spec);
