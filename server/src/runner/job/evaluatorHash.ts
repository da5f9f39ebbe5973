import { createHash } from "node:crypto";
import { createReadStream } from "node:fs";
import { lstat, readdir, readlink, realpath } from "node:fs/promises";
import { join, relative, sep } from "node:path";
import { pipeline } from "node:stream/promises";
import { z } from "zod";
import type { ProjectSpec } from "../../../../shared/spec/project.ts";
import { codeOf, HarnessError } from "../../base/errors.ts";

/** Content hashes of everything a version is measured on, by path inside the project. */
export const EvaluationHashes = z.record(z.string(), z.string());
export type EvaluationHashes = z.infer<typeof EvaluationHashes>;

/** The declared evaluation: the files and folders of `evaluation.files` and the three splits, sorted. */
export function evaluationPaths(project: ProjectSpec): string[] {
  const { files, splits } = project.evaluation;
  return [...new Set([...files, splits.train, splits.selection, splits.audit])].sort();
}

/**
 * Hashes the declared evaluation in a checkout. Folders are walked; a link counts with where it points and what is there.
 * @throws HarnessError projectInvalid when a declared path is missing or a link leaves the checkout
 */
export async function hashEvaluation(checkout: string, project: ProjectSpec): Promise<EvaluationHashes> {
  const root = await realpath(checkout);
  const hashes: EvaluationHashes = {};
  for (const path of evaluationPaths(project)) await hashPath(root, path, hashes);
  return hashes;
}

/** The first path whose content differs, is new or is gone; undefined when nothing changed. */
export function findChangedPath(before: EvaluationHashes, after: EvaluationHashes): string | undefined {
  return [...new Set([...Object.keys(before), ...Object.keys(after)])]
    .sort()
    .find((path) => before[path] !== after[path]);
}

/** As `hashEvaluation`, after the job: a file that is gone or a link that leaves is a change, not an error. */
export async function findChangedEvaluation(
  checkout: string,
  project: ProjectSpec,
  before: EvaluationHashes,
): Promise<string | undefined> {
  try {
    return findChangedPath(before, await hashEvaluation(checkout, project));
  } catch (e) {
    if (e instanceof EvaluationPathError) return e.path;
    throw e;
  }
}

class EvaluationPathError extends HarnessError {
  readonly path: string;
  constructor(path: string, problem: string) {
    super("projectInvalid", `The evaluation file ${path} ${problem}; correct evaluation in evotrainer.yaml.`);
    this.path = path;
  }
}

async function hashPath(root: string, path: string, hashes: EvaluationHashes): Promise<void> {
  const absolute = join(root, path);
  const stat = await lstat(absolute).catch((e: unknown) => {
    if (codeOf(e) === "ENOENT" || codeOf(e) === "ENOTDIR")
      throw new EvaluationPathError(path, "does not exist in this version");
    throw e;
  });
  // Also a folder on the way may be a link.
  const real = await realpath(absolute).catch(() => undefined);
  const inside = real === undefined ? undefined : relative(root, real);
  if (inside === undefined || inside === ".." || inside.startsWith(`..${sep}`))
    throw new EvaluationPathError(path, "is a link that leads out of the checkout or nowhere");
  const hash = createHash("sha256");
  if (stat.isSymbolicLink()) {
    const target = await readlink(absolute);
    hashes[path] = hash.update(`link ${target}`).digest("hex");
    if (inside !== "" && !isAncestor(inside, path)) await hashPath(root, inside.split(sep).join("/"), hashes);
  } else if (stat.isDirectory()) {
    const names = (await readdir(absolute)).sort();
    hashes[path] = hash.update(`folder ${JSON.stringify(names)}`).digest("hex");
    for (const name of names) await hashPath(root, `${path.replace(/\/$/, "")}/${name}`, hashes);
  } else if (stat.isFile()) {
    await pipeline(createReadStream(absolute), hash);
    hashes[path] = hash.digest("hex");
  } else throw new EvaluationPathError(path, "is not a file or folder");
}

/** A link to a folder above itself would be walked for ever. */
function isAncestor(folder: string, path: string): boolean {
  return `${path}/`.startsWith(`${folder.split(sep).join("/")}/`);
}
