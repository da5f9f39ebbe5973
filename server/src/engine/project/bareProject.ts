import { dirname, join, resolve } from "node:path";
import { exists } from "../../base/files.ts";
import { didYouMean, listed } from "../../base/similar.ts";
import { projectFile, loadProject, type Loaded } from "../../project/project.ts";
import { usedDiagnostics } from "../../project/library.ts";
import { mappingEnding } from "../../evidence/mapping/mapped.ts";
import { metricNamesIn, namedRoles } from "../../evidence/mapping/readMapping.ts";
import { metricRoleNames, type MetricNames } from "../../../../shared/spec/metricNames.ts";
import { workTree } from "../../project/source.ts";
import type { DiagnosticFile } from "../../../../shared/protocol/results/diagnosticFile.ts";
import type { DiagnosticSpec } from "../../../../shared/spec/diagnostic.ts";
import type { ProjectSpec } from "../../../../shared/spec/project.ts";
import { TripwiresSpec } from "../../../../shared/spec/tripwires.ts";
import { lineAt, type SpecProblem } from "../../project/readSpec.ts";
import { engineFolderOf } from "../workspace/workspace.ts";
import { diagnosticsGiven, diagnosticsOfFolder, layered } from "./diagnosticFiles.ts";

/** What the verbs that look at evidence need of a project. */
export interface EvidenceProject {
  readonly domain: string;
  readonly aggregator: ProjectSpec["metric"]["aggregator"];
  readonly diagnostics: readonly Loaded<DiagnosticSpec>[];
  /** What is said of the names of training metrics. */
  readonly metricNames: ProjectSpec["metricNames"];
  /** Language models by name. */
  readonly models: ProjectSpec["models"];
  readonly tripwires: ProjectSpec["tripwires"];
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
  const { domain, models, metricNames, tripwires } = spec;
  return {
    domain,
    metricNames,
    aggregator: spec.metric.aggregator,
    diagnostics,
    models,
    tripwires,
    problems,
    notes: [],
  };
}

async function inBareFolder(root: string, given: EvidenceProject["diagnostics"]): Promise<EvidenceProject> {
  const { diagnostics: own, problems } = await diagnosticsOfFolder(root, given);
  const library = usedDiagnostics({ use: "all", params: {}, domains: {} }, bareDomain);
  const names = await metricNamesOf(root);
  return {
    domain: bareDomain,
    aggregator: "macro",
    metricNames: names.found,
    ...layered(own, library, bareDomain),
    models: {},
    tripwires: TripwiresSpec.parse({}),
    problems: [...problems, ...names.problems],
  };
}

/** What the mappings that lie in a folder itself say of the names of training metrics; of several for one the first counts. */
async function metricNamesOf(
  root: string,
): Promise<{ readonly found: MetricNames; readonly problems: readonly SpecProblem[] }> {
  const tree = workTree(root);
  const found: MetricNames[] = [];
  const problems: SpecProblem[] = [];
  for (const path of (await tree.list(".")).filter((one) => one.endsWith(mappingEnding)).sort()) {
    const text = (await tree.read(path)) ?? "";
    const names = metricNamesIn(text);
    if (names !== undefined) found.unshift(names);
    else problems.push(...unknownRoles(path, text));
  }
  return { found: Object.assign({}, ...found) as MetricNames, problems };
}

/** Each name of a mapping that no diagnostic reads a metric by, with what may have been meant. */
function unknownRoles(path: string, text: string): SpecProblem[] {
  const known: readonly string[] = metricRoleNames;
  return namedRoles(text)
    .filter((name) => !known.includes(name))
    .map((name) => ({
      path,
      line: lineAt(text, ["metricNames", name]),
      message: `metricNames: no diagnostic reads a metric called ${name}.${didYouMean(name, known) || ` They read ${listed(known, "and")}.`}`,
    }));
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
