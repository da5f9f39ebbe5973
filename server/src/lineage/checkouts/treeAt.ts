import { posix } from "node:path";
import { recallBytes } from "../commitMemory.ts";
import type { Repository } from "../repository.ts";
import { assertCommit } from "../versions.ts";

/** A file, a link or a submodule of a commit: `mode` as git writes it, `path` from the top level of the repository. */
export interface TreeEntry {
  readonly mode: string;
  readonly oid: string;
  readonly path: string;
}

const modes = { link: "120000", submodule: "160000" } as const;

export const isLink = ({ mode }: Pick<TreeEntry, "mode">): boolean => mode === modes.link;
export const isSubmodule = ({ mode }: Pick<TreeEntry, "mode">): boolean => mode === modes.submodule;

/** Everything that a commit holds, in git's order, read from its trees: no checkout and no attribute takes part. */
export async function treeAt(repository: Repository, commit: string): Promise<TreeEntry[]> {
  assertCommit(commit);
  const listed = await recallBytes(repository, ["ls-tree", "-r", "-z", "--full-tree", commit]);
  return listed
    .toString("utf8")
    .split("\0")
    .flatMap((line) => {
      const tab = line.indexOf("\t");
      if (tab < 0) return [];
      const [mode = "", , oid = ""] = line.slice(0, tab).split(" ");
      return [{ mode, oid, path: line.slice(tab + 1) }];
    });
}

/** A path of the repository as seen from the project's folder: it begins with `../` where it is outside. */
export function fromProject({ prefix }: Pick<Repository, "prefix">, path: string): string {
  return path.startsWith(prefix) ? path.slice(prefix.length) : posix.relative(prefix, path);
}

/** Where the symbolic links of a commit point, by path as seen from the project's folder. */
export async function linksAt(repository: Repository, commit: string): Promise<ReadonlyMap<string, string>> {
  const links = (await treeAt(repository, commit)).filter(isLink);
  const targets = await Promise.all(
    links.map(({ oid }) => recallBytes(repository, ["cat-file", "blob", oid])),
  );
  return new Map(links.map(({ path }, i) => [fromProject(repository, path), String(targets[i] ?? "")]));
}
