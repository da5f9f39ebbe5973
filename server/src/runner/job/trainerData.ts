import { lstat, mkdir, stat, symlink } from "node:fs/promises";
import { dirname, join } from "node:path";
import { z } from "zod";
import type { ProjectSpec } from "../../../../shared/spec/project.ts";
import { codeOf, HarnessError } from "../../base/errors.ts";
import { writeFileAtomic } from "../../base/files.ts";
import { readPlainText } from "../../base/plainFile.ts";
import { evaluationPaths } from "../../project/frozen/frozenPaths.ts";

/** A file or folder that runs read and git does not have. */
export interface TrainerData {
  /** In the project, with forward slashes. */
  readonly path: string;
  /** On this machine. */
  readonly at: string;
}

/** What `trainer.data` names below the project's folder. @throws HarnessError projectInvalid */
export async function trainerData(root: string, project: ProjectSpec): Promise<TrainerData[]> {
  const found: TrainerData[] = [];
  for (const path of project.trainer.data) {
    const hashed = evaluationPaths(project).find((own) => isWithin(own, path) || isWithin(path, own));
    if (hashed !== undefined)
      throw new HarnessError(
        "projectInvalid",
        `trainer.data names ${path}, which contains or is part of ${hashed}: commit the data that versions are measured on.`,
      );
    const at = join(root, path);
    if (!(await isThere(stat(at))))
      throw new HarnessError(
        "projectInvalid",
        `trainer.data names ${path}, which does not exist: put it, or a link to it, at ${at}.`,
      );
    found.push({ path, at });
  }
  return found;
}

const isWithin = (path: string, folder: string): boolean => `${path}/`.startsWith(`${folder}/`);

/** Lays links to the data into a checkout. @throws HarnessError projectInvalid where the commit has something there */
export async function linkData(projectDirectory: string, data: readonly TrainerData[]): Promise<void> {
  for (const { path, at } of data) {
    const link = join(projectDirectory, path);
    if (await isThere(lstat(link)))
      throw new HarnessError(
        "projectInvalid",
        `trainer.data names ${path}, which is committed as well: leave it out of one of the two.`,
      );
    await mkdir(dirname(link), { recursive: true });
    await symlink(at, link);
  }
}

const dataFile = "data.json";
const Told = z.array(z.object({ path: z.string(), at: z.string() }));

/** Writes down, in the run's folder, what its job is told. */
export async function writeData(directory: string, data: readonly TrainerData[]): Promise<void> {
  await writeFileAtomic(join(directory, dataFile), `${JSON.stringify(data)}\n`, { mode: 0o600 });
}

/** That again; undefined where nothing was written. */
export async function readData(directory: string): Promise<TrainerData[] | undefined> {
  const text = await readPlainText(join(directory, dataFile));
  return text === undefined ? undefined : Told.parse(JSON.parse(text));
}

async function isThere(looked: Promise<unknown>): Promise<boolean> {
  try {
    await looked;
    return true;
  } catch (e) {
    if (codeOf(e) === "ENOENT" || codeOf(e) === "ENOTDIR") return false;
    throw e;
  }
}
