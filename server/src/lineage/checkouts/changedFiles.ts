import type { Repository } from "../repository.ts";
import { assertCommit } from "../versions.ts";

/** A file of the project that differs between two commits. */
export interface ChangedFile {
  readonly path: string;
  readonly change: "added" | "deleted" | "modified";
}

/** The files of the project that differ between two commits. */
export async function changedFiles(repository: Repository, from: string, to: string): Promise<ChangedFile[]> {
  assertCommit(from);
  assertCommit(to);
  const told = await repository.git.text([
    "--literal-pathspecs",
    "diff-tree",
    "-r",
    "-z",
    "--no-renames",
    "--name-status",
    from,
    to,
    ...(repository.prefix === "" ? [] : ["--", repository.prefix]),
  ]);
  const parts = told.split("\0");
  const files: ChangedFile[] = [];
  for (let i = 0; i + 1 < parts.length; i += 2) {
    const [letter, path] = [parts[i], parts[i + 1] ?? ""];
    const change = letter === "A" ? "added" : letter === "D" ? "deleted" : "modified";
    if (path !== "") files.push({ path: path.slice(repository.prefix.length), change });
  }
  return files;
}
