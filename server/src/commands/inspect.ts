import { HarnessError } from "../base/errors.ts";
import { exists } from "../base/files.ts";
import { placeOf } from "../engine/owner/place.ts";
import { withEngine, type Engine } from "../engine/owner/withEngine.ts";
import { findProjectRoot, openWorkspace, readLineage, type Workspace } from "../engine/workspace.ts";
import type { VersionRecord } from "../lineage/graph.ts";
import type { ProjectSpec } from "../../../shared/spec/project.ts";
import { loadProjectSpec } from "../project/project.ts";
import { workTree } from "../project/source.ts";

/** A project with its archive, for the verbs that only look. */
export interface Inspection {
  readonly workspace: Workspace;
  readonly spec: ProjectSpec;
  readonly engine: Engine;
  readonly versions: readonly VersionRecord[];
}

/** Finds the project around `cwd`, runs `look` with its archive, whoever owns it, and leaves it again. */
export async function inspect<T>(cwd: string, look: (inspection: Inspection) => Promise<T>): Promise<T> {
  const root = await findProjectRoot(cwd);
  const spec = await loadProjectSpec(workTree(root));
  const place = placeOf(root);
  // A project that nothing was done in yet gets no archive before its repository is known to be one that ignores it.
  const readOnly = await exists(place.archive);
  // Git is asked while the database library is loaded: together they are most of the time to the first answer.
  const lineage = openWorkspace(root, { readOnly }).then(async (workspace) => {
    const { versions } = await readLineage(workspace, spec.domain);
    return { workspace, versions };
  });
  lineage.catch(() => undefined);
  if (!readOnly) await lineage;
  return withEngine(place, async (engine) => look({ ...(await lineage), spec, engine }));
}

/**
 * The version asked for by its name or by the start of it (v3 for v3-continuous-reward); without one the promoted
 * version, else the latest. @throws HarnessError notFound, badInput when the start fits several
 */
export function chooseVersion(versions: readonly VersionRecord[], asked: string | undefined): VersionRecord {
  const names = versions.map((v) => v.name).join(", ");
  if (asked === undefined) {
    const chosen = versions.findLast((v) => v.promotion !== undefined) ?? versions.at(-1);
    if (chosen === undefined)
      throw new HarnessError("notFound", "There are no versions yet; run `evotrainer evolve`.");
    return chosen;
  }
  const exact = versions.find((v) => v.name === asked);
  const fitting = versions.filter((v) => v.name.startsWith(`${asked}-`));
  if (exact !== undefined) return exact;
  const [only, another] = fitting;
  if (only === undefined)
    throw new HarnessError("notFound", `There is no version ${asked}; there are: ${names || "none"}.`);
  if (another !== undefined)
    throw new HarnessError(
      "badInput",
      `${asked} fits ${fitting.map((v) => v.name).join(" and ")}; write the whole name.`,
    );
  return only;
}
