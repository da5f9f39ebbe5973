import { execFile } from "node:child_process";
import { existsSync } from "node:fs";
import { mkdir, readdir, readFile, realpath, rm, rmdir } from "node:fs/promises";
import { basename, dirname, join, resolve } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { promisify } from "node:util";
import { codeOf, HarnessError } from "../../base/errors.ts";
import { writePlainFiles } from "./plainFiles.ts";
import { assertCommit } from "../versions.ts";
import { statePath, type Repository } from "../repository.ts";

export interface Checkout {
  /** Top level of the checkout. */
  readonly directory: string;
  /** The project's folder in it. */
  readonly projectDirectory: string;
}

/** Where the checkout of a run lies. */
export function checkoutDirectory(repository: Repository, run: string): string {
  return statePath(repository, "worktrees", run);
}

/**
 * Checks `commit` out into `directory` as a detached worktree, each file as git holds it. What a crash left there is
 * removed first. The paths of `without`, from the top level, are left out.
 * @throws HarnessError gitFailed, diskFull
 */
export async function addCheckout(
  repository: Repository,
  commit: string,
  directory: string,
  without: readonly string[] = [],
): Promise<Checkout> {
  assertCommit(commit);
  return oneAtATime(repository, () => add(repository, commit, directory, without));
}

async function add(
  repository: Repository,
  commit: string,
  directory: string,
  without: readonly string[],
): Promise<Checkout> {
  await remove(repository, directory);
  await mkdir(dirname(directory), { recursive: true, mode: 0o700 });
  const flags = ["--no-checkout", "--detach", "--force", "--quiet"];
  await repository.git.text(["worktree", "add", ...flags, directory, commit]);
  await writePlainFiles(repository, commit, directory, without);
  return { directory, projectDirectory: join(directory, repository.prefix) };
}

/** Removes a checkout, its files and its registration; does nothing when there is none. */
export function removeCheckout(repository: Repository, directory: string): Promise<void> {
  return oneAtATime(repository, () => remove(repository, directory));
}

const queues = new WeakMap<Repository, Promise<unknown>>();

/** Git lists worktrees by reading files that it is writing for another one at that moment. */
function oneAtATime<T>(repository: Repository, work: () => Promise<T>): Promise<T> {
  const done = (queues.get(repository) ?? Promise.resolve()).then(work, work);
  queues.set(repository, done);
  return done;
}

async function remove(repository: Repository, directory: string): Promise<void> {
  const own = resolve(statePath(repository, "worktrees"));
  if (dirname(resolve(directory)) !== own)
    throw new HarnessError(
      "badInput",
      `${directory} is not a checkout of this project: those are in ${own}.`,
    );
  const registered = await registrationOf(repository, directory);
  // Files first: a registration whose folder is gone can still be found and removed, the other way round nothing can.
  await removeFolder(directory);
  if (registered === undefined) return;
  // Twice: a checkout that was being made when we died is still locked.
  if (registered.folder === undefined)
    await repository.git.text(["worktree", "remove", "--force", "--force", registered.path]);
  else await removeRegistration(registered.folder);
}

/** As git does it, which takes a process of its own for this. */
async function removeRegistration(folder: string): Promise<void> {
  await rm(folder, { recursive: true, force: true, maxRetries: 3 });
  await rmdir(dirname(folder)).catch((e: unknown) => {
    if (!["ENOTEMPTY", "EEXIST", "ENOENT"].includes(codeOf(e) ?? "")) throw e;
  });
}

/** A job can nest folders deeper than names may be long, which only a program that goes down step by step removes. */
async function removeFolder(directory: string): Promise<void> {
  try {
    await rm(directory, { recursive: true, force: true, maxRetries: 3 });
  } catch (e) {
    if (codeOf(e) !== "ENAMETOOLONG") throw e;
    await promisify(execFile)("rm", ["-rf", "--", directory]);
  }
}

/** A worktree, and the folder in which git keeps it; without one where only git was asked. */
interface Registration {
  readonly path: string;
  readonly folder?: string;
}

/** Only our own registration is looked up: `git worktree prune` would drop the user's worktrees on an unmounted disk. */
async function registrationOf(repository: Repository, directory: string): Promise<Registration | undefined> {
  const parent = await realpath(dirname(directory)).catch(() => resolve(dirname(directory)));
  const wanted = join(parent, basename(directory));
  const all: readonly Registration[] =
    (await linkedTrees(repository)) ?? (await listed(repository)).map((path) => ({ path }));
  return all.find(({ path }) => resolve(path) === wanted);
}

/**
 * Where the worktrees lie that were added to the repository, from the files that git keeps of them (gitrepository-layout),
 * which is a hundredth of what starting git takes; undefined where one of these cannot be read, which git may know better.
 */
async function linkedTrees({ commonDir }: Repository): Promise<Required<Registration>[] | undefined> {
  const folder = join(commonDir, "worktrees");
  try {
    return await Promise.all(
      (await readdir(folder)).map(async (name) => {
        const read = (file: string): Promise<string> => readFile(join(folder, name, file), "utf8");
        const [file, common] = await Promise.all([read("gitdir"), read("commondir")]);
        // One that is being made at this moment: git has to be waited for.
        if (basename(file.trimEnd()) !== ".git" || common === "") throw new Error(`${name} is half made`);
        return { path: dirname(resolve(folder, name, file.trimEnd())), folder: join(folder, name) };
      }),
    );
  } catch (e) {
    return codeOf(e) === "ENOENT" && !existsSync(folder) ? [] : undefined;
  }
}

/** Where all worktrees of the repository lie, the user's own among them. */
export const worktreePaths = (repository: Repository): Promise<string[]> =>
  oneAtATime(repository, async () => {
    const linked = await linkedTrees(repository);
    if (linked === undefined) return listed(repository);
    // As git does: a bare repository stands for itself.
    const { commonDir } = repository;
    return [
      basename(commonDir) === ".git" ? dirname(commonDir) : commonDir,
      ...linked.map(({ path }) => path),
    ];
  });

/** A user, or another engine, may be making a worktree at this moment. */
async function listed({ git }: Repository): Promise<string[]> {
  for (let left = 5; ; left--)
    try {
      const text = await git.text(["worktree", "list", "--porcelain"]);
      return text
        .split(/\r?\n/)
        .flatMap((line) => (line.startsWith("worktree ") ? [line.slice("worktree ".length)] : []));
    } catch (e) {
      if (left === 0 || !HarnessError.is(e, "gitFailed") || !/failed to read .*worktrees/.test(e.message))
        throw e;
      await wait(50);
    }
}
