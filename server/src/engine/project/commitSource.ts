import { HarnessError } from "../../base/errors.ts";
import { fromProject, isLink, isSubmodule, linksAt, treeAt } from "../../lineage/checkouts/treeAt.ts";
import { listFilesAt, readFileAt } from "../../lineage/versions.ts";
import type { Repository } from "../../lineage/repository.ts";
import { linksIn, type Held } from "../../project/frozen/links.ts";
import type { FileSource } from "../../project/source.ts";

/** The project's files as a commit has them. */
export function commitSource(repository: Repository, commit: string): FileSource {
  return {
    name: `commit ${commit.slice(0, 8)}`,
    async read(path) {
      try {
        return await readFileAt(repository, commit, path);
      } catch (e) {
        if (HarnessError.is(e, "notFound")) return undefined;
        throw e;
      }
    },
    async list(folder) {
      const prefix = `${folder.replace(/\/$/, "")}/`;
      const files = await listFilesAt(repository, commit, folder);
      return files.filter((f) => f.startsWith(prefix) && !f.slice(prefix.length).includes("/")).sort();
    },
    links: async () => linksIn(await linksAt(repository, commit), await heldAt(repository, commit)),
  };
}

/** Everything that a commit holds, by what it is. */
async function heldAt(repository: Repository, commit: string): Promise<Held[]> {
  return (await treeAt(repository, commit)).map((entry) => ({
    path: fromProject(repository, entry.path),
    kind: isLink(entry) ? "link" : isSubmodule(entry) ? "submodule" : "file",
  }));
}
