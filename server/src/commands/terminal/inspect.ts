import { join } from "node:path";
import { counted } from "../../../../shared/words/numbers.ts";
import { HarnessError } from "../../base/errors.ts";
import { exists } from "../../base/files.ts";
import { listedVersions, meantVersion } from "../../base/meantVersion.ts";
import { findEvidenceRoot } from "../../engine/project/bareProject.ts";
import { diagnosticsIn } from "../../engine/project/diagnosticFiles.ts";
import { placeOf } from "../../engine/workspace/place.ts";
import { withEngine, type Engine } from "../../engine/owner/withEngine.ts";
import { saysNoCommits } from "../../engine/workspace/repositoryOf.ts";
import { openWorkspace, readLineage } from "../../engine/workspace/workspace.ts";
import type { VersionRecord } from "../../lineage/records/versionRecord.ts";
import { loadProjectSpec, projectFile } from "../../project/project.ts";
import { workTree } from "../../project/source.ts";
import { versionIn } from "../../proposals/standing/proposal.ts";

/** A folder with its archive, for the verbs that look at evidence. */
export interface Inspection {
  readonly root: string;
  readonly engine: Engine;
  /** The lineage of the project; empty in a folder that only has imported evidence. */
  readonly versions: readonly VersionRecord[];
}

/**
 * Finds the project or the archive around `cwd`, runs `look` with it, whoever owns it, and leaves it again.
 * @throws HarnessError projectMissing where there is neither
 */
export async function inspect<T>(cwd: string, look: (inspection: Inspection) => Promise<T>): Promise<T> {
  const root = await findEvidenceRoot(cwd);
  const place = placeOf(root);
  const isOpen = await exists(place.archive);
  // A look must not leave an archive behind in a folder that has nothing to do with us.
  if (!isOpen && !(await exists(join(root, projectFile)))) {
    const [diagnostic] = await diagnosticsIn(root);
    if (diagnostic !== undefined)
      throw new HarnessError(
        "projectMissing",
        `There are no rollouts in ${root} yet that ${diagnostic} could label; bring some in with \`evotrainer import <path>\`.`,
      );
    throw new HarnessError(
      "projectMissing",
      `There is no ${projectFile} in ${root} or above it, and no evidence; make a project with \`evotrainer init\`, or bring evidence in with \`evotrainer import <path>\`.`,
    );
  }
  // Git is asked while the database library is loaded: together they are most of the time to the first answer.
  const versions = versionsOf(root, isOpen);
  versions.catch(() => undefined);
  // A project that nothing was done in yet gets no archive before its repository is known to be one that ignores it.
  if (!isOpen) await versions;
  // Whoever types a command trusts the folder that it is typed in.
  return withEngine(place, async (engine) => look({ root, engine, versions: await versions }), {
    trusted: true,
  });
}

async function versionsOf(root: string, isOpen: boolean): Promise<readonly VersionRecord[]> {
  if (!(await exists(join(root, projectFile)))) return [];
  const spec = await loadProjectSpec(workTree(root));
  try {
    const workspace = await openWorkspace(root, { readOnly: isOpen });
    return (await readLineage(workspace, spec.domain)).versions;
  } catch (e) {
    // What was imported before the first commit can be looked at.
    if (isOpen && saysNoCommits(e)) return [];
    throw e;
  }
}

/** The versions that were imported into a folder without a lineage, from which one has to be chosen; none where there is no choice. */
export async function versionsToChoose({ engine, versions }: Inspection): Promise<readonly string[]> {
  if (versions.length > 0) return [];
  const imported = await importedInto(engine);
  return imported.length > 1 ? imported : [];
}

const importedInto = async (engine: Engine): Promise<string[]> =>
  (await engine.request("versions.list", {})).map(({ version }) => version);

/**
 * The name of the version asked for: one of the lineage, or one that the archive has evidence of. Without a name the
 * promoted version, the latest that has evidence, or the only one that was imported. @throws HarnessError notFound, badInput
 */
export async function evidenceVersion(
  { engine, versions }: Inspection,
  asked: string | undefined,
): Promise<string> {
  if (asked !== undefined && versions.some(({ name }) => name === asked)) return asked;
  const imported = await importedInto(engine);
  if (asked === undefined && versions.length > 0) {
    // The latest versions may wait for a gate: whoever names none wants to see one that ran.
    const ran = versions.filter(({ name, promotion }) => promotion !== undefined || imported.includes(name));
    return chooseVersion(ran.length > 0 ? ran : versions, asked).name;
  }
  if (asked !== undefined)
    return meantVersion(asked, [...new Set([...versions.map(({ name }) => name), ...imported])]);
  const [only, another] = imported;
  if (only === undefined)
    throw new HarnessError(
      "notFound",
      "There is no evidence yet; run `evotrainer evolve`, or `evotrainer import <path>`.",
    );
  if (another !== undefined)
    throw new HarnessError(
      "badInput",
      `There are ${counted(imported.length, "version")} here, and none is newer than the others: name one of ${listedVersions(imported)}.`,
    );
  return only;
}

/**
 * The version asked for by its name or by the start of it; without one the promoted version, else the latest.
 * @throws HarnessError notFound, badInput when the start fits several
 */
export function chooseVersion(versions: readonly VersionRecord[], asked: string | undefined): VersionRecord {
  const chosen =
    asked === undefined
      ? (versions.findLast((v) => v.promotion !== undefined) ?? versions.at(-1))
      : versionIn({ versions }, asked);
  if (chosen === undefined)
    throw new HarnessError("notFound", "There are no versions yet; run `evotrainer evolve`.");
  return chosen;
}
