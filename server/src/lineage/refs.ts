import { readFile, rm, stat } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { HarnessError } from "../base/errors.ts";
import { GitError } from "./gitProcess/gitError.ts";
import type { Repository } from "./repository.ts";

/** A lock that is older than this was left by a process that died: we hold one for milliseconds, and only we write these refs. */
const staleLockMilliseconds = 30_000;

/** The commit that git last said each ref was at. */
const commits = new WeakMap<Repository, Map<string, string>>();

/** The commit that a full ref name points at, or undefined when the ref does not exist. */
export async function readRef(repository: Repository, ref: string): Promise<string | undefined> {
  const read = await readLooseRef(repository, ref);
  if (read !== undefined && commits.get(repository)?.get(ref) === read) return read;
  const commit = await repository.git.answer(["rev-parse", "--verify", "--quiet", `${ref}^{commit}`]);
  if (commit === undefined || commit === "") return undefined;
  noteRef(repository, ref, commit);
  return commit;
}

/** Notes the commit that a ref was just moved to, so that git need not be asked what kind of object it is. */
export function noteRef(repository: Repository, ref: string, commit: string): void {
  const known = commits.get(repository) ?? new Map<string, string>();
  commits.set(repository, known.set(ref, commit));
}

/** The hash in the file of a ref, which counts before all else; undefined where git keeps the ref in another way. */
async function readLooseRef({ commonDir, zero }: Repository, ref: string): Promise<string | undefined> {
  const text = await readFile(join(commonDir, ref), "utf8").catch(() => "");
  const hash = text.trimEnd();
  return hash.length === zero.length && /^[0-9a-f]+$/.test(hash) ? hash : undefined;
}

/**
 * Points `ref` at `commit` if it still is at `expected` (undefined: does not exist yet).
 * Returns false when somebody else moved it first.
 */
export async function updateRef(
  repository: Repository,
  ref: string,
  values: { commit: string; expected: string | undefined; message: string },
): Promise<boolean> {
  for (let attempt = 0; ; attempt++) {
    try {
      await repository.git.text([
        "update-ref",
        "--create-reflog",
        "-m",
        values.message,
        ref,
        values.commit,
        values.expected ?? repository.zero,
      ]);
      return true;
    } catch (e) {
      if (!(e instanceof GitError)) throw e;
      if (isHierarchyConflict(e)) throw hierarchyConflict(ref, e);
      if (!isRefBusy(e)) throw e;
      if ((await readRef(repository, ref)) !== values.expected) return false;
      if (attempt >= 100) throw lockedError(repository, ref, e);
      await removeStaleLock(repository, ref);
      await delay(10 + Math.random() * 40);
    }
  }
}

/** Whether git refused because another process moved or holds the ref. */
export function isRefBusy(e: GitError): boolean {
  return /cannot lock ref|Unable to create '.*\.lock'|new tip .* does not contain|reference already exists|failed to update ref/i.test(
    e.stderr,
  );
}

/** A branch `evo` makes every branch `evo/…` impossible. */
export function isHierarchyConflict(e: GitError): boolean {
  return /exists; cannot create|Not a directory|there are still (refs|logs) under/i.test(e.stderr);
}

export function hierarchyConflict(ref: string, cause: GitError): HarnessError {
  const branch = ref.replace("refs/heads/", "");
  return new HarnessError(
    "gitFailed",
    `The branch ${branch} cannot be created because a branch with a shorter or longer name is in the way; rename that branch (git branch -m).`,
    { cause },
  );
}

export function lockedError(repository: Repository, ref: string, cause: GitError): HarnessError {
  return new HarnessError(
    "gitFailed",
    `The ref ${ref} stays locked; if no git command is running, delete ${join(repository.commonDir, ref)}.lock and try again.`,
    { cause },
  );
}

/** Removes the lock of one of our refs when the process that made it must be dead. */
export async function removeStaleLock(repository: Repository, ref: string): Promise<void> {
  const lock = `${join(repository.commonDir, ref)}.lock`;
  const made = await stat(lock).catch(() => undefined);
  if (made !== undefined && Date.now() - made.mtimeMs > staleLockMilliseconds)
    await rm(lock, { force: true });
}
