import { HarnessError } from "../../base/errors.ts";
import { GitError } from "../gitProcess/gitError.ts";
import type { PlacedNode } from "./importTree.ts";
import { hierarchyConflict, isHierarchyConflict, isRefBusy } from "../refs.ts";
import type { Repository } from "../repository.ts";
import { versionRef } from "../versions.ts";

/** Commits of imports name no user, so that the same file gives the same commits everywhere. */
const author = "EvoTrainer import <evotrainer@localhost>";

export interface CommitRequest {
  readonly domain: string;
  readonly format: string;
  readonly lineage: string;
  /** New nodes, parents before children, with their times in milliseconds. */
  readonly nodes: readonly (PlacedNode & { readonly at: number })[];
  /** Commits of versions that are there already, by name. */
  readonly known: ReadonlyMap<string, string>;
}

/**
 * Makes a commit and a branch `evo/<domain>/<name>` of each node with one process, and returns the commits by name. A node
 * that is a commit already keeps it. Asking again gives the same commits.
 * @throws HarnessError refMoved when a branch holds something else
 */
export async function commitNodes(
  repository: Repository,
  request: CommitRequest,
): Promise<Map<string, string>> {
  const { git } = repository;
  if (request.nodes.length > 0)
    try {
      await git.text(["fast-import", "--quiet", "--done", "--date-format=raw"], {
        input: commitStream(repository, request),
      });
    } catch (e) {
      if (!(e instanceof GitError)) throw e;
      const ref = versionRef(request.domain, request.nodes[0]?.name ?? "x");
      if (isHierarchyConflict(e)) throw hierarchyConflict(ref, e);
      if (!isRefBusy(e)) throw e;
      throw new HarnessError(
        "refMoved",
        `A branch below evo/${request.domain}/ has a different version from the one to import; choose another --domain.`,
        { cause: e },
      );
    }
  const listed = await git.text([
    "for-each-ref",
    "--format=%(objectname) %(refname:lstrip=4)",
    `refs/heads/evo/${request.domain}/`,
  ]);
  const commits = new Map<string, string>();
  for (const line of listed.split("\n")) {
    const space = line.indexOf(" ");
    if (space > 0) commits.set(line.slice(space + 1), line.slice(0, space));
  }
  return commits;
}

/** The nodes in git's fast-import language. Pure. */
function commitStream(repository: Pick<Repository, "prefix">, request: CommitRequest): string {
  const marks = new Map<string, string>();
  const parts: string[] = [];
  for (const [i, { node, name, parents, at, missing }] of request.nodes.entries()) {
    const ref = versionRef(request.domain, name);
    if (node.commit !== null) {
      marks.set(name, node.commit);
      parts.push(`reset ${ref}\nfrom ${node.commit}\n\n`);
      continue;
    }
    marks.set(name, `:${i + 1}`);
    const date = `${author} ${Math.max(0, Math.floor(at / 1000))} +0000\n`;
    const message = messageOf(request, { node, missing });
    parts.push(`commit ${ref}\nmark :${i + 1}\nauthor ${date}committer ${date}`);
    parts.push(`data ${Buffer.byteLength(message)}\n${message}\n`);
    for (const [n, parent] of parents.entries()) {
      const commit = marks.get(parent) ?? request.known.get(parent);
      if (commit !== undefined) parts.push(`${n === 0 ? "from" : "merge"} ${commit}\n`);
    }
    const files = Object.entries(node.files);
    if (files.length > 0) parts.push("deleteall\n");
    for (const [path, content] of files)
      parts.push(
        `M 100644 inline ${quoted(repository.prefix + path)}\ndata ${Buffer.byteLength(content)}\n${content}\n`,
      );
    parts.push("\n");
  }
  return `${parts.join("")}done\n`;
}

/** A path as fast-import reads it whatever it holds. */
function quoted(path: string): string {
  return `"${path.replace(/[\\"]/g, "\\$&").replaceAll("\n", "\\n")}"`;
}

function messageOf(
  { format, lineage }: CommitRequest,
  { node, missing }: Pick<PlacedNode, "node" | "missing">,
): string {
  const line = (text: string): string => text.replace(/[\u0000-\u001f\u007f]+/g, " ").trim();
  const lines = [
    line(node.title) || node.key,
    "",
    ...(missing ? [line(node.reason), ""] : []),
    ...(Object.keys(node.files).length === 0 && !missing
      ? ["The source does not hold the code of this version; the files are its parent's.", ""]
      : []),
    `Imported-From: ${format} ${line(lineage)}`,
    `Imported-Id: ${line(node.key)}`,
    ...(node.status === null ? [] : [`Imported-Status: ${line(node.status)}`]),
  ];
  return `${lines.join("\n")}\n`;
}
