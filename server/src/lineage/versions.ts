import { copyFile } from "node:fs/promises";
import { resolve } from "node:path";
import { ProjectPath, Name } from "../../../shared/spec/common.ts";
import { codeOf, HarnessError } from "../base/errors.ts";
import { recallBytes } from "./commitMemory.ts";
import { GitError } from "./gitProcess/gitError.ts";
import { withPrivateIndex } from "./privateIndex.ts";
import { readRef, updateRef } from "./refs.ts";
import { commitEnvironment, type Repository } from "./repository.ts";

/** The whole new content of one file; null deletes it. */
export interface FileEdit {
  readonly path: string;
  readonly content: string | Uint8Array | null;
}

export interface VersionRequest {
  readonly domain: string;
  readonly name: string;
  /** The commit that the edits are made on. */
  readonly parent: string;
  readonly edits: readonly FileEdit[];
  readonly message: string;
  /** Time of the commit; the same request gives the same commit. */
  readonly at: Date;
}

/** The branch that holds a version. */
export function versionRef(domain: string, name: string): string {
  return `refs/heads/evo/${Name.parse(domain)}/${Name.parse(name)}`;
}

/** The branch that keeps what was proposed, whatever becomes of it; two domains of one repository may use one id. */
function proposalRef(domain: string, id: string): string {
  return `refs/heads/evo/proposals/${Name.parse(domain)}/${Name.parse(id)}`;
}

/**
 * Commits `edits` on top of `parent` as the branch `evo/<domain>/<name>`, without touching the work tree, the index or
 * HEAD. Asking again for the same content gives the same commit.
 * @throws HarnessError refMoved when the name exists with another content, badInput for a path that cannot be edited
 */
export async function createVersion(
  repository: Repository,
  request: VersionRequest,
): Promise<{ commit: string }> {
  return createCommit(repository, versionRef(request.domain, request.name), request);
}

/** As `createVersion`, for the branch of a proposal. */
export async function createProposal(
  repository: Repository,
  request: Omit<VersionRequest, "name"> & { id: string },
): Promise<{ commit: string }> {
  return createCommit(repository, proposalRef(request.domain, request.id), request);
}

/**
 * Makes a commit that exists already the version of a name: its branch `evo/<domain>/<name>` begins there. Doing it
 * again comes to the same. @throws HarnessError refMoved when the name stands for another commit
 */
export async function beginBranch(
  repository: Repository,
  { domain, name, commit }: { readonly domain: string; readonly name: string; readonly commit: string },
): Promise<void> {
  assertCommit(commit);
  const ref = versionRef(domain, name);
  const message = "evotrainer: accept";
  if (await updateRef(repository, ref, { commit, expected: undefined, message })) return;
  if ((await readRef(repository, ref)) !== commit)
    throw new HarnessError(
      "refMoved",
      `The branch ${ref.replace("refs/heads/", "")} already has another version; choose another name.`,
    );
}

/**
 * Commits the files of `filesOf` on top of `parent` as the branch of a version, whatever differs between the two.
 * @throws HarnessError refMoved when the name exists with another content
 */
export async function createVersionLike(
  repository: Repository,
  request: Omit<VersionRequest, "edits"> & { readonly filesOf: string },
): Promise<{ commit: string }> {
  assertCommit(request.parent);
  assertCommit(request.filesOf);
  const tree = await repository.git.text(["rev-parse", `${request.filesOf}^{tree}`]);
  return commitTree(repository, versionRef(request.domain, request.name), { ...request, tree });
}

async function createCommit(
  repository: Repository,
  ref: string,
  request: Omit<VersionRequest, "domain" | "name">,
): Promise<{ commit: string }> {
  assertCommit(request.parent);
  const tree = await writeTree(repository, request.parent, request.edits);
  return commitTree(repository, ref, { ...request, tree });
}

async function commitTree(
  repository: Repository,
  ref: string,
  { tree, ...request }: Pick<VersionRequest, "parent" | "message" | "at"> & { readonly tree: string },
): Promise<{ commit: string }> {
  const { git } = repository;
  const sameAs = async (commit: string) => {
    const found = await git.text(["rev-parse", `${commit}^{tree}`, `${commit}^@`]);
    if (found === `${tree}\n${request.parent}`) return { commit };
    throw new HarnessError(
      "refMoved",
      `The branch ${ref.replace("refs/heads/", "")} already has another version; choose another name.`,
    );
  };
  const existing = await readRef(repository, ref);
  if (existing !== undefined) return sameAs(existing);
  const commit = await git.text(["commit-tree", tree, "-p", request.parent], {
    input: `${request.message.trim()}\n`,
    env: commitEnvironment(repository.identity, request.at),
  });
  if (await updateRef(repository, ref, { commit, expected: undefined, message: "evotrainer: create" }))
    return { commit };
  return sameAs((await readRef(repository, ref)) ?? commit);
}

/** The tree of `parent` with `edits` applied. Modes of existing files stay; new files are plain ones. */
async function writeTree(
  repository: Repository,
  parent: string,
  edits: readonly FileEdit[],
): Promise<string> {
  const { git } = repository;
  const paths = edits.map((edit) => editablePath(repository, edit.path));
  if (new Set(paths).size !== paths.length)
    throw new HarnessError("badInput", "Two edits change the same file; merge them into one.");
  return withPrivateIndex(async (env) => {
    await git.text(["read-tree", parent], { env });
    const modes = await modesAt(repository, parent, paths);
    let lines = "";
    for (const [i, edit] of edits.entries()) {
      const path = paths[i] ?? "";
      const mode = modes.get(path) ?? "100644";
      if (!mode.startsWith("100"))
        throw new HarnessError(
          "badInput",
          `${edit.path} is a ${mode === "120000" ? "symbolic link" : "folder or submodule"}, so it cannot be edited; name a file.`,
        );
      if (edit.content === null) {
        if (!modes.has(path)) throw missing(edit.path, parent);
        lines += `0 ${repository.zero}\t${path}\0`;
      } else {
        const blob = await git.text(["hash-object", "-w", "--stdin"], { input: edit.content });
        lines += `${mode} ${blob}\t${path}\0`;
      }
    }
    if (lines === "") return git.text(["write-tree"], { env });
    await git.text(["update-index", "-z", "--index-info"], { env, input: lines });
    const tree = await git.text(["write-tree"], { env });
    await checkTree(repository, parent, tree, edits);
    return tree;
  });
}

/** Git silently passes over a path that no index may hold (.git in any spelling) and drops a file that a folder replaces. */
async function checkTree(
  repository: Repository,
  parent: string,
  tree: string,
  edits: readonly FileEdit[],
): Promise<void> {
  const paths = edits.map((edit) => repository.prefix + edit.path);
  const held = await modesAt(repository, tree, paths);
  const lost = edits.find((edit, i) => held.has(paths[i] ?? "") !== (edit.content !== null));
  const changed = await repository.git.text([
    "diff-tree",
    "-r",
    "-z",
    "--no-renames",
    "--name-only",
    parent,
    tree,
  ]);
  const extra = changed.split("\0").find((path) => path !== "" && !paths.includes(path));
  if (lost === undefined && extra === undefined) return;
  throw new HarnessError(
    "badInput",
    `The edit of ${lost?.path ?? edits[0]?.path ?? ""} cannot be stored${extra === undefined ? ": git does not allow that path" : `: it would remove ${extra}`}; choose another path.`,
  );
}

async function modesAt(
  repository: Repository,
  commit: string,
  paths: readonly string[],
): Promise<Map<string, string>> {
  const modes = new Map<string, string>();
  if (paths.length === 0) return modes;
  const listed = await repository.git.text(["--literal-pathspecs", "ls-tree", "-z", commit, "--", ...paths]);
  for (const line of listed.split("\0")) {
    const tab = line.indexOf("\t");
    if (tab > 0) modes.set(line.slice(tab + 1), line.slice(0, line.indexOf(" ")));
  }
  return modes;
}

/** Path inside the repository of a path inside the project. */
function editablePath(repository: Repository, path: string): string {
  const parsed = ProjectPath.safeParse(path);
  if (!parsed.success || path.split("/").some((part) => part === "" || part === "."))
    throw new HarnessError(
      "badInput",
      `"${path}" is not a path inside the project; use a relative path with forward slashes.`,
    );
  return repository.prefix + path;
}

/** Guards against a value that git would read as an option or another revision. */
export function assertCommit(commit: string): void {
  if (!/^[0-9a-f]{40,64}$/.test(commit))
    throw new HarnessError("badInput", `"${commit}" is not a commit hash.`);
}

function missing(path: string, commit: string): HarnessError {
  return new HarnessError("notFound", `There is no file ${path} in commit ${commit.slice(0, 12)}.`);
}

/**
 * Content of a file at a commit.
 * @throws HarnessError notFound
 */
export async function readBytesAt(repository: Repository, commit: string, path: string): Promise<Buffer> {
  assertCommit(commit);
  try {
    return await recallBytes(repository, ["cat-file", "blob", `${commit}:${editablePath(repository, path)}`]);
  } catch (e) {
    if (e instanceof GitError && e.exitCode === 128) throw missing(path, commit);
    throw e;
  }
}

/** Text of a file at a commit, as UTF-8. */
export async function readFileAt(repository: Repository, commit: string, path: string): Promise<string> {
  return (await readBytesAt(repository, commit, path)).toString("utf8");
}

/** Paths of all files of the project at a commit, in git's order; `folder` narrows them. */
export async function listFilesAt(repository: Repository, commit: string, folder = ""): Promise<string[]> {
  assertCommit(commit);
  const scope = folder === "" ? repository.prefix : `${editablePath(repository, folder.replace(/\/$/, ""))}/`;
  const listed = await recallBytes(repository, [
    "--literal-pathspecs",
    "ls-tree",
    "-r",
    "-z",
    "--full-tree",
    "--name-only",
    commit,
    ...(scope === "" ? [] : ["--", scope]),
  ]);
  return listed
    .toString("utf8")
    .split("\0")
    .flatMap((path) => (path === "" ? [] : [path.slice(repository.prefix.length)]));
}

/**
 * A commit of the user's files as they are now, uncommitted and untracked ones included (ignored ones not), with HEAD as
 * its parent; HEAD itself when nothing differs. Index, HEAD and files stay as they are.
 */
export async function snapshotWorkTree(
  repository: Repository,
  at = new Date(),
): Promise<{ commit: string; dirty: boolean }> {
  const { git } = repository;
  const head = await git.text(["rev-parse", "--verify", "HEAD^{commit}"]);
  return withPrivateIndex(async (env, file) => {
    // A copy of the user's index carries the stat data that spares git from reading every file again.
    const index = resolve(repository.topLevel, await git.text(["rev-parse", "--git-path", "index"]));
    await copyFile(index, file).catch(async (e: unknown) => {
      if (codeOf(e) !== "ENOENT") throw e;
      await git.text(["read-tree", head], { env });
    });
    await git.text(["add", "--all"], { env });
    const tree = await git.text(["write-tree"], { env });
    if (tree === (await git.text(["rev-parse", "--verify", `${head}^{tree}`])))
      return { commit: head, dirty: false };
    const commit = await git.text(["commit-tree", tree, "-p", head], {
      input: "Uncommitted work\n",
      env: commitEnvironment(repository.identity, at),
    });
    return { commit, dirty: true };
  });
}
