import { dirname, join, resolve } from "node:path";
import { noProjectFile } from "../../../../shared/words/refusals.ts";
import { HarnessError } from "../../base/errors.ts";
import { exists, privateFolder } from "../../base/files.ts";
import { buildLineage, type Lineage } from "../../lineage/graph.ts";
import { assertUntracked } from "./untracked.ts";
import { openLedger, type Ledger } from "../../lineage/ledger.ts";
import { openRepository, statePath, stateFolder, type Repository } from "../../lineage/repository.ts";
import { projectFile } from "../../project/project.ts";
import { checkWritable } from "./fileSystem.ts";

/** A project on disk with its repository and ledger. */
export interface Workspace {
  readonly root: string;
  readonly repository: Repository;
  readonly ledger: Ledger;
  /** `.evotrainer` in the project: state of the loop, runs, archive. */
  readonly engineFolder: string;
}

/**
 * Opens the project that `from` lies in.
 * @throws HarnessError projectMissing, unsupportedFileSystem, and those of openRepository
 */
export async function openWorkspace(from: string, options: { readOnly?: boolean } = {}): Promise<Workspace> {
  const root = await findProjectRoot(from);
  const engineFolder = engineFolderOf(root);
  if (options.readOnly !== true) await checkWritable(engineFolder);
  const repository = await openRepository(root, options);
  if (options.readOnly !== true) {
    await assertUntracked(repository);
    await privateFolder(statePath(repository));
  }
  return { root, repository, ledger: openLedger(repository), engineFolder };
}

/** Where the engine keeps everything of a project. */
export function engineFolderOf(root: string): string {
  return join(root, stateFolder);
}

/** The nearest folder at or above `from` that holds `evotrainer.yaml`. @throws HarnessError projectMissing */
export async function findProjectRoot(from: string): Promise<string> {
  let misnamed: string | undefined;
  for (let folder = resolve(from); ; folder = dirname(folder)) {
    if (await exists(join(folder, projectFile))) return folder;
    const other = join(folder, projectFile.replace(/yaml$/, "yml"));
    if (misnamed === undefined && (await exists(other))) misnamed = other;
    if (dirname(folder) !== folder) continue;
    throw new HarnessError(
      "projectMissing",
      misnamed === undefined
        ? noProjectFile(projectFile, `${resolve(from)} or above it`)
        : `Nothing reads ${misnamed}: rename it to ${projectFile}.`,
    );
  }
}

/** The lineage of a domain as the ledger has it now. */
export async function readLineage(workspace: Pick<Workspace, "ledger">, domain: string): Promise<Lineage> {
  return buildLineage((await workspace.ledger.read()).entries, domain);
}
