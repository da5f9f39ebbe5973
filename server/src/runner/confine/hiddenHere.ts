import { readFile, realpath } from "node:fs/promises";
import { homedir, tmpdir } from "node:os";
import { join, resolve } from "node:path";
import type { ProjectSpec } from "../../../../shared/spec/project.ts";
import { codeOf } from "../../base/errors.ts";
import { worktreePaths } from "../../lineage/checkouts/checkout.ts";
import { statePath, type Repository } from "../../lineage/repository.ts";
import { trustFolder } from "../../lineage/trust/userFolder.ts";
import { evaluationPaths } from "../../project/frozen/frozenPaths.ts";
import { hide, isWithin, namedWithin, type Hidden } from "./jobView.ts";

/**
 * What jobs on this machine must not see: the work tree and every other one of the repository, its objects, what the engine
 * keeps of runs, its key, and its socket. Programs of the work tree that the trainer's command or environment names are shown.
 */
export async function hiddenHere(repository: Repository, project: ProjectSpec): Promise<Hidden> {
  const { topLevel, commonDir, root } = repository;
  const home = await realpath(homedir()).catch(() => homedir());
  // Who keeps the whole home folder in one repository needs the rest of it.
  const tree = isWithin(home, topLevel) ? root : topLevel;
  const objects = [commonDir, ...(await borrowedObjects(commonDir))];
  const own = [statePath(repository), ...objects];
  const { command, environment } = project.trainer;
  const secret = [...own, ...evaluationPaths(project).map((path) => join(root, path))];
  return {
    steps: [
      ...new Set([
        tree,
        ...own,
        ...(await otherTrees(repository)),
        resolve(trustFolder()),
        ...socketFolders(),
      ]),
    ]
      .filter((path) => !isWithin(home, path))
      .map(hide),
    needed: namedWithin(tree, [...command, ...Object.values(environment)], secret),
  };
}

/** Where other repositories keep objects that this one uses. */
async function borrowedObjects(commonDir: string): Promise<string[]> {
  const objects = join(commonDir, "objects");
  const listed = await readFile(join(objects, "info", "alternates"), "utf8").catch((e: unknown) => {
    if (codeOf(e) === "ENOENT") return "";
    throw e;
  });
  return listed
    .split("\n")
    .filter((line) => line !== "" && !line.startsWith("#"))
    .map((line) => resolve(objects, line));
}

/** Worktrees of the repository, apart from those in the engine's folder. */
async function otherTrees(repository: Repository): Promise<string[]> {
  const own = statePath(repository);
  return (await worktreePaths(repository)).filter((path) => path.startsWith("/") && !isWithin(path, own));
}

/** Where the owner of the archive listens, and what a user's own session listens at. */
function socketFolders(): string[] {
  const runtime = process.env["XDG_RUNTIME_DIR"] ?? "";
  const uid = process.getuid?.() ?? 0;
  return [...(runtime.startsWith("/") ? [runtime] : []), join(tmpdir(), `evotrainer-${uid}`)];
}
