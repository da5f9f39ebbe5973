import { dirname, join, resolve } from "node:path";
import { exists } from "../../base/files.ts";
import { projectFile, loadProject, type Loaded } from "../../project/project.ts";
import { usedDiagnostics } from "../../project/library.ts";
import { workTree } from "../../project/source.ts";
import type { DiagnosticFile } from "../../../../shared/protocol/results/diagnosticFile.ts";
import type { DiagnosticSpec } from "../../../../shared/spec/diagnostic.ts";
import type { ProjectSpec } from "../../../../shared/spec/project.ts";
import { TripwiresSpec } from "../../../../shared/spec/tripwires.ts";
import type { SpecProblem } from "../../project/readSpec.ts";
import { engineFolderOf } from "../workspace/workspace.ts";
import { diagnosticsGiven, diagnosticsOfFolder, layered } from "./diagnosticFiles.ts";

/** What the verbs that look at evidence need of a project. */
export interface EvidenceProject {
  readonly domain: string;
  readonly aggregator: ProjectSpec["metric"]["aggregator"];
  readonly diagnostics: readonly Loaded<DiagnosticSpec>[];
  /** Language models by name. */
  readonly models: ProjectSpec["models"];
  readonly tripwires: ProjectSpec["tripwires"];
  /** What the project says that its trainer calls the metrics of the field. */
  readonly metricNames: ProjectSpec["metrics"];
  readonly problems: readonly SpecProblem[];
  /** Which diagnostic counts where two have one name, and what else a person may not expect, in a sentence each. */
  readonly notes: readonly string[];
}

/** The domain of evidence that was imported into a folder without a project. */
export const bareDomain = "imported";

/**
 * The project in a folder, or, where there is only evidence, the library and the diagnostics that lie in the folder itself.
 * Diagnostics that are given go before all others. This is the one place that finds the diagnostics in force in a work tree.
 * @throws HarnessError projectInvalid, specInvalid for a given diagnostic that cannot be used
 */
export async function projectOrBare(
  root: string,
  given: readonly DiagnosticFile[] = [],
): Promise<EvidenceProject> {
  const own = diagnosticsGiven(given);
  const isProject = await exists(join(root, projectFile));
  const { notes, ...project } = isProject ? await inProject(root) : await inBareFolder(root, own);
  const all = layered(own, project.diagnostics, project.domain);
  const inHarness = new Set(
    isProject ? project.diagnostics.map(({ text }) => text) : own.map(({ text }) => text),
  );
  const outside = own
    .filter(({ text }) => !inHarness.has(text))
    .map(({ path }) => `${path} is not part of the harness: it is used for this command only.`);
  return {
    ...project,
    diagnostics: all.diagnostics,
    notes: [...notes, ...outside, ...all.notes],
  };
}

async function inProject(root: string): Promise<EvidenceProject> {
  const { spec, diagnostics, problems } = await loadProject(workTree(root));
  const { domain, models, tripwires, metrics: metricNames } = spec;
  return {
    domain,
    aggregator: spec.metric.aggregator,
    diagnostics,
    models,
    tripwires,
    metricNames,
    problems,
    notes: [],
  };
}

async function inBareFolder(root: string, given: EvidenceProject["diagnostics"]): Promise<EvidenceProject> {
  const { diagnostics: own, problems } = await diagnosticsOfFolder(root, given);
  const library = usedDiagnostics({ use: "all", params: {}, domains: {} }, bareDomain);
  return {
    domain: bareDomain,
    aggregator: "macro",
    ...layered(own, library, bareDomain),
    models: {},
    tripwires: TripwiresSpec.parse({}),
    metricNames: {},
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
