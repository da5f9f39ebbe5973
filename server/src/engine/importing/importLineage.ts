import { join } from "node:path";
import { exists } from "../../base/files.ts";
import { HarnessError } from "../../base/errors.ts";
import { detectLineage, lineageFormats, type LineageFormat } from "../../lineage/adapters/detect.ts";
import { importLineages, type LineageImportReport } from "../../lineage/importing/importLineage.ts";
import { loadProjectSpec, projectFile } from "../../project/project.ts";
import { workTree } from "../../project/source.ts";
import { openWorkspace } from "../workspace/workspace.ts";

export interface LineageRequest {
  readonly paths: readonly string[];
  readonly as?: string | undefined;
  readonly domain?: string | undefined;
}

/** What came of the lineages among the paths of an import. */
export interface LineageOutcome {
  readonly reports: readonly LineageImportReport[];
  /** Lineages that were recognised and not brought in, with the reason. */
  readonly refused: readonly { readonly path: string; readonly reason: string }[];
  /** Files that belong to a lineage, by the end of their path: they are no evidence that was overlooked. */
  readonly claimed: readonly string[];
}

const none: LineageOutcome = { reports: [], refused: [], claimed: [] };

export const isLineageFormat = (name: string): name is LineageFormat =>
  lineageFormats.some((format) => format === name);

/**
 * Brings the lineages of other tools among the paths into the project's git, each into a domain of its own.
 * @throws HarnessError badInput for a format that was asked for and is not there, projectMissing where it has to go into a project
 */
export async function importLineagesOf(root: string, request: LineageRequest): Promise<LineageOutcome> {
  const { paths, as, domain } = request;
  if (as !== undefined && !isLineageFormat(as)) return none;
  const format = as === undefined ? {} : { format: as };
  // Paths are looked at twice, and each that cannot be read is told once.
  const unreadable = new Map<string, string>();
  const refuse = (path: string, reason: string): unknown => unreadable.set(path, reason);
  const found = await detectLineage(paths, { ...format, refuse });
  const claimed = found.flatMap(({ files, beside }) => [...files, ...(beside ?? [])]);
  const held = found.flatMap((one) =>
    one.type === "refused" ? [{ path: one.files[0] ?? one.name, reason: one.reason }] : [],
  );
  const refusals = (): LineageOutcome["refused"] => [
    ...held,
    ...[...unreadable].map(([path, reason]) => ({ path, reason })),
  ];
  if (held.length === found.length) return { reports: [], refused: refusals(), claimed };
  if (!(await exists(join(root, projectFile)))) {
    const readable = found.filter((one) => one.type !== "refused");
    const formats = [...new Set(readable.map((one) => one.format))].join(", ");
    const what = readable.length === 1 ? "a lineage" : `${readable.length} lineages`;
    const reason = `it contains ${what} (${formats}), which EvoTrainer keeps in a project's git repository; make a project here with \`evotrainer init\``;
    if (as !== undefined) throw new HarnessError("projectMissing", `${paths.join(", ")}: ${reason}.`);
    return { reports: [], refused: [...refusals(), { path: paths.join(", "), reason }], claimed };
  }
  const { domain: ownDomain } = await loadProjectSpec(workTree(root));
  const { repository } = await openWorkspace(root);
  const reports = await importLineages(repository, {
    paths,
    ownDomain,
    refuse,
    ...format,
    ...(domain === undefined ? {} : { domain }),
  });
  return { reports, refused: refusals(), claimed };
}
