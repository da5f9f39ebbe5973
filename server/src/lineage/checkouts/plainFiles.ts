import { createHash } from "node:crypto";
import { createReadStream, lstatSync, readFileSync, readlinkSync } from "node:fs";
import { mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { pipeline } from "node:stream/promises";
import { setImmediate } from "node:timers/promises";
import { HarnessError } from "../../base/errors.ts";
import { bindGit } from "../git.ts";
import type { Git } from "../gitProcess/commands.ts";
import type { Repository } from "../repository.ts";
import { fillLfsContents, isContentOf, longestPointer, pointerIn } from "./lfsContent.ts";
import { isLink, isSubmodule, treeAt, type TreeEntry } from "./treeAt.ts";

/** Takes back what any .gitattributes asks for: git's info/attributes overrides them. */
export const noAttributes = "* -text !eol !crlf !filter !ident !working-tree-encoding\n";

/**
 * Writes the files of a commit into the new worktree `directory`, byte for byte as git holds them, and makes sure of that.
 * No filter, attribute, hook, replacement or sparse pattern takes part, whoever configured it: what lies there follows from
 * the commit alone. The paths of `without` are left out; git takes them for unchanged.
 * @throws HarnessError gitFailed, diskFull
 */
export async function writePlainFiles(
  repository: Repository,
  commit: string,
  directory: string,
  without: readonly string[] = [],
): Promise<void> {
  const index = join(await gitFolderOf(directory), "index");
  const left = new Set(without);
  await withPlainGit(repository, directory, without, async (git, env) => {
    await git.bytes(["read-tree", "--reset", "-u", commit], { env: { ...env, GIT_INDEX_FILE: index } });
  });
  const entries = (await treeAt(repository, commit)).filter(({ path }) => !left.has(path));
  const other = await findOtherFile(repository, directory, entries);
  if (other !== undefined)
    throw new HarnessError(
      "gitFailed",
      `${other} in the checkout ${directory} is not what commit ${commit.slice(0, 12)} has; make sure that nothing else writes there, and run again.`,
    );
  // A name with a line break fits into no pattern.
  const there = without.filter((path) => lstatSync(join(directory, path), { throwIfNoEntry: false }));
  if (there.length > 0) await leaveOut(repository, directory, there);
  await fillLfsContents(repository, directory, entries);
}

/** The patterns by which git does not write some paths, and takes them for unchanged. */
const patternsOf = (without: readonly string[]): string =>
  [
    "/*",
    ...without
      .filter((path) => !path.includes("\n"))
      .map((path) => `!/${path.replace(/[\\*?[\]! #]/g, "\\$&")}`),
    "",
  ].join("\n");

async function leaveOut(repository: Repository, directory: string, paths: readonly string[]): Promise<void> {
  for (const path of paths) await rm(join(directory, path), { force: true });
  const index = join(await gitFolderOf(directory), "index");
  await withPlainGit(repository, directory, [], async (git, env) => {
    await git.bytes(["update-index", "--skip-worktree", "-z", "--stdin"], {
      env: { ...env, GIT_INDEX_FILE: index },
      input: paths.map((path) => `${path}\0`).join(""),
    });
  });
}

/**
 * The first of some entries whose file below `directory` is not the object that it names, nor the content that this object
 * names as a pointer of Git LFS; undefined when all are.
 */
export async function findOtherFile(
  repository: Repository,
  directory: string,
  entries: readonly TreeEntry[],
): Promise<string | undefined> {
  for (const [i, entry] of entries.entries()) {
    if (!(await isAsNamed(repository, join(directory, entry.path), entry))) return entry.path;
    if (i % filesAtOnce === filesAtOnce - 1) await setImmediate();
  }
  return undefined;
}

/** Reading a small file at once takes a tenth of the time; after so many, others have their turn. */
const filesAtOnce = 100;

async function isAsNamed(repository: Repository, file: string, entry: TreeEntry): Promise<boolean> {
  if (isSubmodule(entry)) return true;
  const at = lstatSync(file, { throwIfNoEntry: false });
  const digits = entry.oid.length;
  if (isLink(entry) && at?.isSymbolicLink() === true)
    return blobId(Buffer.from(readlinkSync(file)), digits) === entry.oid;
  // Git for Windows writes the target of a link into a file where nobody may make links.
  if (at?.isFile() !== true || (isLink(entry) && process.platform !== "win32")) return false;
  const id =
    at.size > heldAtOnce ? await streamedId(file, at.size, digits) : blobId(readFileSync(file), digits);
  return id === entry.oid || isLfsContent(repository, entry.oid, file);
}

/** Larger files are read in parts. */
const heldAtOnce = 2 ** 18;

async function streamedId(file: string, size: number, digits: number): Promise<string> {
  const hash = createHash(digits > 40 ? "sha256" : "sha1").update(`blob ${size}\0`);
  await pipeline(createReadStream(file, { highWaterMark: 2 ** 20 }), hash);
  return hash.digest("hex");
}

async function isLfsContent({ git }: Repository, oid: string, file: string): Promise<boolean> {
  if (Number(await git.text(["cat-file", "-s", oid])) > longestPointer) return false;
  const pointer = pointerIn(String(await git.bytes(["cat-file", "blob", oid])));
  return pointer !== undefined && isContentOf(pointer, file);
}

type Plain<T> = (git: Git, env: Readonly<Record<string, string>>) => Promise<T>;

/**
 * A git folder that has only the objects of the repository: none of its configuration, and none of the user's. The paths of
 * `without` are not written.
 */
async function withPlainGit<T>(
  repository: Repository,
  directory: string,
  without: readonly string[],
  work: Plain<T>,
): Promise<T> {
  const folder = await mkdtemp(join(tmpdir(), "evotrainer-plain-"));
  try {
    await mkdir(join(folder, "refs"));
    await mkdir(join(folder, "info"));
    await writeFile(join(folder, "HEAD"), "ref: refs/heads/none\n");
    await writeFile(join(folder, "config"), await plainConfig(repository));
    await writeFile(join(folder, "info/attributes"), noAttributes);
    if (without.length > 0) await writeFile(join(folder, "info/sparse-checkout"), patternsOf(without));
    const sparse = `core.sparseCheckout=${without.length > 0}`;
    return await work(
      bindGit(directory, [
        "core.autocrlf=false",
        "core.attributesFile=/dev/null",
        sparse,
        "core.sparseCheckoutCone=false",
      ]),
      {
        GIT_DIR: folder,
        GIT_WORK_TREE: directory,
        GIT_OBJECT_DIRECTORY: join(repository.commonDir, "objects"),
        GIT_CONFIG_GLOBAL: "/dev/null",
        GIT_CONFIG_NOSYSTEM: "1",
        GIT_ATTR_NOSYSTEM: "1",
      },
    );
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** Where git keeps the index of a worktree: its `.git` says so. */
async function gitFolderOf(directory: string): Promise<string> {
  const [, folder = ".git"] = /^gitdir: (.*)$/m.exec(await readFile(join(directory, ".git"), "utf8")) ?? [];
  return resolve(directory, folder);
}

const configs = new WeakMap<Repository, Promise<string>>();

function plainConfig(repository: Repository): Promise<string> {
  const known = configs.get(repository) ?? makeConfig(repository);
  configs.set(repository, known);
  return known;
}

async function makeConfig({ zero, git, commonDir }: Repository): Promise<string> {
  const isSha256 = zero.length > 40;
  const partial = await git.answer([
    "config",
    "--get-regexp",
    "^(extensions.partialclone|remote.*.promisor)$",
  ]);
  const links = process.platform === "win32" ? await git.answer(["config", "--get", "core.symlinks"]) : "";
  return [
    // Git fetches what a partial clone lacks from the remote that its configuration names.
    ...(partial === undefined ? [] : [`[include]\n\tpath = ${JSON.stringify(join(commonDir, "config"))}`]),
    `[core]\n\tbare = false\n\trepositoryFormatVersion = ${isSha256 || partial !== undefined ? 1 : 0}`,
    "\tsparseCheckout = false\n\thooksPath = /dev/null\n\tfsmonitor = false",
    ...(links === "false" ? ["\tsymlinks = false"] : []),
    ...(isSha256 ? ["[extensions]\n\tobjectFormat = sha256"] : []),
    "",
  ].join("\n");
}

/** The name that git gives to a content: by SHA-1, or SHA-256 where names have 64 digits. */
function blobId(content: Buffer, digits: number): string {
  const hash = createHash(digits > 40 ? "sha256" : "sha1");
  return hash.update(`blob ${content.length}\0`).update(content).digest("hex");
}
