import { appendFile, mkdir, readFile, realpath } from "node:fs/promises";
import { dirname, isAbsolute, join, resolve } from "node:path";
import { codeOf, HarnessError } from "../base/errors.ts";
import { bindGit } from "./git.ts";
import { GitError } from "./gitProcess/gitError.ts";
import type { Git } from "./gitProcess/commands.ts";

export interface Identity {
  readonly name: string;
  readonly email: string;
}

/** A git repository as the engine uses it. Paths of the lineage functions are relative to `root`, the project's folder. */
export interface Repository {
  /** The project's folder: the top level or a folder below it. */
  readonly root: string;
  readonly topLevel: string;
  /** "" or the path from the top level to `root`, ending with a slash. */
  readonly prefix: string;
  /** The git folder that all worktrees of the repository share. */
  readonly commonDir: string;
  /** The git folder of this worktree, which holds its HEAD. */
  readonly gitDir: string;
  readonly identity: Identity;
  readonly git: Git;
  /** The object name of "nothing", as update-ref wants it: as long as the repository's hashes are. */
  readonly zero: string;
}

/** Everything that the engine writes lives here, inside the project's folder. */
export const stateFolder = ".evotrainer";
const oldest = [2, 25] as const;
const fallbackIdentity: Identity = { name: "EvoTrainer", email: "evotrainer@localhost" };

/**
 * Opens the git repository around the project folder `root` and makes git ignore the engine's folder there.
 * @throws HarnessError gitMissing, notFound, notARepository, noCommits, gitFailed
 */
export async function openRepository(
  root: string,
  options: { readOnly?: boolean } = {},
): Promise<Repository> {
  const folder = await realpath(root).catch((e: unknown) => {
    throw codeOf(e) === "ENOENT" ? new HarnessError("notFound", `There is no folder ${root}.`) : e;
  });
  const probe = bindGit(folder);
  // Asked side by side, because starting git is most of the time; told in the order in which they explain each other.
  const asked = {
    version: usableVersion(probe),
    place: locate(probe, folder),
    head: probe.answer(["rev-parse", "--verify", "--quiet", "HEAD^{commit}"]),
  };
  await Promise.allSettled(Object.values(asked));
  const version = await asked.version;
  const [topLevel, prefix, commonDir, gitDir] = await asked.place;
  const head = await asked.head;
  if (head === undefined || head === "")
    throw new HarnessError(
      "noCommits",
      `The git repository ${topLevel} has no commits yet, and every version starts from one; run \`git add --all && git commit --message "first commit"\` there first.`,
    );
  // Loose objects and refs are flushed to the disk, so that a power cut cannot leave a ref without its commit.
  const durable =
    version[0] > 2 || version[1] >= 36 ? "core.fsync=committed,reference" : "core.fsyncObjectFiles=true";
  const git = bindGit(topLevel, [durable]);
  const repository: Repository = {
    root: folder,
    topLevel,
    prefix,
    commonDir,
    gitDir,
    // Who only reads makes no commit.
    identity: options.readOnly === true ? fallbackIdentity : await readIdentity(git),
    git,
    zero: "0".repeat(head.length),
  };
  if (options.readOnly !== true) await excludeStateFolder(repository);
  return repository;
}

/** By PATH, so that another git is asked anew. */
const usableVersions = new Map<string | undefined, readonly [number, number]>();

/** The version of git, which is asked once: a verb opens its repository several times. */
async function usableVersion(git: Git): Promise<readonly [number, number]> {
  const path = process.env["PATH"];
  const known = usableVersions.get(path);
  if (known !== undefined) return known;
  const version = parseGitVersion(await git.text(["version"]));
  usableVersions.set(path, version);
  return version;
}

/** [major, minor] of `git version`. */
function parseGitVersion(text: string): readonly [number, number] {
  const match = /(\d+)\.(\d+)/.exec(text);
  const version = [Number(match?.[1] ?? 0), Number(match?.[2] ?? 0)] as const;
  if (version[0] < oldest[0] || (version[0] === oldest[0] && version[1] < oldest[1]))
    throw new HarnessError(
      "gitMissing",
      `Git ${oldest.join(".")} or newer is needed, but "${text}" was found; install a newer git.`,
    );
  return version;
}

async function locate(git: Git, folder: string): Promise<[string, string, string, string]> {
  try {
    const places = ["--show-toplevel", "--show-prefix", "--git-common-dir", "--absolute-git-dir"];
    const [topLevel = "", prefix = "", commonDir = "", gitDir = ""] = (
      await git.text(["rev-parse", ...places])
    ).split(/\r?\n/);
    const common = isAbsolute(commonDir) ? commonDir : resolve(folder, commonDir);
    return [resolve(topLevel), prefix, common, resolve(gitDir)];
  } catch (e) {
    if (e instanceof GitError && /not a git repository/i.test(e.stderr))
      throw new HarnessError(
        "notARepository",
        `${folder} is not in a git repository, and every version is a commit; run \`git init && git add --all && git commit --message "first commit"\` there first.`,
        { cause: e },
      );
    if (e instanceof GitError && /must be run in a work tree|cannot use bare repository/i.test(e.stderr))
      throw new HarnessError(
        "notARepository",
        `${folder} is in a bare git repository or in a .git folder; open a checkout of it instead.`,
        { cause: e },
      );
    throw e;
  }
}

async function readIdentity(git: Git): Promise<Identity> {
  const read = async (key: string, fallback: string) => {
    const value = (await git.answer(["config", "--get", key]))?.replace(/[<>\n]/g, "").trim();
    return value === undefined || value === "" ? fallback : value;
  };
  const [name, email] = await Promise.all([
    read("user.name", fallbackIdentity.name),
    read("user.email", fallbackIdentity.email),
  ]);
  return { name, email };
}

/** Adds the engine's folder to the repository's own exclude file, once; the user's .gitignore stays as it is. */
async function excludeStateFolder(repository: Repository): Promise<void> {
  const file = resolve(
    repository.topLevel,
    await repository.git.text(["rev-parse", "--git-path", "info/exclude"]),
  );
  const text = await readFile(file, "utf8").catch((e: unknown) => {
    if (codeOf(e) === "ENOENT") return "";
    throw e;
  });
  const line = `${stateFolder}/`;
  if (text.split(/\r?\n/).includes(line)) return;
  await mkdir(dirname(file), { recursive: true });
  await appendFile(file, `${text === "" || text.endsWith("\n") ? "" : "\n"}${line}\n`);
}

/** A path inside the engine's folder of this project. */
export function statePath(repository: Repository, ...parts: readonly string[]): string {
  return join(repository.root, stateFolder, ...parts);
}

/** The environment of a commit by this identity at a time; the same input gives the same commit. */
export function commitEnvironment(identity: Identity, at: Date): Record<string, string> {
  const date = `@${Math.floor(at.getTime() / 1000)} +0000`;
  return {
    GIT_AUTHOR_NAME: identity.name,
    GIT_AUTHOR_EMAIL: identity.email,
    GIT_AUTHOR_DATE: date,
    GIT_COMMITTER_NAME: identity.name,
    GIT_COMMITTER_EMAIL: identity.email,
    GIT_COMMITTER_DATE: date,
  };
}

/**
 * The commit that a branch, tag or hash names.
 * @throws HarnessError notFound
 */
export async function resolveCommit(repository: Repository, revision: string): Promise<string> {
  if (revision === "HEAD") return headCommit(repository);
  const commit = await askedCommit(repository, revision);
  if (commit === undefined) throw noCommit(repository, revision);
  return commit;
}

const noCommit = ({ topLevel }: Repository, revision: string): HarnessError =>
  new HarnessError("notFound", `There is no commit "${revision}" in ${topLevel}.`);

async function askedCommit({ git }: Repository, revision: string): Promise<string | undefined> {
  if (revision === "" || revision.startsWith("-")) return undefined;
  try {
    const commit = await git.answer(["rev-parse", "--verify", "--quiet", `${revision}^{commit}`]);
    return commit === "" ? undefined : commit;
  } catch (e) {
    if (e instanceof GitError && e.exitCode === 128) return undefined;
    throw e;
  }
}

/** The commit that git last said HEAD is at. */
const heads = new WeakMap<Repository, string>();

/** An evolution asks at each of its steps whether the user has committed something; git is started only where that is so. */
async function headCommit(repository: Repository): Promise<string> {
  const written = await writtenHead(repository);
  if (written !== undefined && written === heads.get(repository)) return written;
  const commit = await askedCommit(repository, "HEAD");
  if (commit === undefined) throw noCommit(repository, "HEAD");
  heads.set(repository, commit);
  return commit;
}

/** The hash in the file of HEAD or of its branch; undefined where git keeps it in another way. */
async function writtenHead({ gitDir, commonDir, zero }: Repository): Promise<string | undefined> {
  const read = (...path: readonly string[]): Promise<string> =>
    readFile(join(...path), "utf8").then(
      (text) => text.trimEnd(),
      () => "",
    );
  const head = await read(gitDir, "HEAD");
  const branch = /^ref: (refs\/heads\/\S+)$/.exec(head)?.[1];
  const hash = branch === undefined ? head : await read(commonDir, branch);
  return hash.length === zero.length && /^[0-9a-f]+$/.test(hash) ? hash : undefined;
}
