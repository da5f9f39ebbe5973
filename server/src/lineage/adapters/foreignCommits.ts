import { HarnessError, messageOf } from "../../base/errors.ts";
import type { ForeignLineage, ForeignProblem } from "./foreign.ts";
import { bindGit } from "../git.ts";
import type { Git } from "../gitProcess/commands.ts";
import type { Repository } from "../repository.ts";

/** The commits of a repository that a log names. */
export interface FoundCommits {
  /** The folder of the repository; null when the log lies in none, or none of the commits is there. */
  readonly folder: string | null;
  /** The whole hash, or null when the repository does not hold it. */
  resolve(name: string): string | null;
  timeOf(commit: string | null): number | null;
  /** The key of the nearest ancestor along first parents that is in `known` (commit to key). */
  nearest(commit: string, known: ReadonlyMap<string, string>): string | undefined;
  problems(file: string): readonly ForeignProblem[];
}

/** Of a log that lies in no repository. */
export const noCommits: FoundCommits = {
  folder: null,
  resolve: () => null,
  timeOf: () => null,
  nearest: () => undefined,
  problems: () => [],
};

/** Ancestors are looked for this far back; a trial is a few commits from the one it was made from. */
const furthest = 1000;

/** Looks up commits, whole or abbreviated, in the git repository around `folder`. Never throws for a repository that cannot be read. */
export async function findCommits(folder: string, names: readonly string[]): Promise<FoundCommits> {
  const wanted = [...new Set(names)];
  if (wanted.length === 0) return noCommits;
  const git = bindGit(folder);
  try {
    const top = await git.text(["rev-parse", "--show-toplevel"]);
    return await lookUp(git, top, wanted);
  } catch (e) {
    if (!(e instanceof HarnessError)) throw e;
    if (/not a git repository|work tree/i.test(e.message)) return noCommits;
    const reason = `its git repository cannot be read, so no commit was found: ${messageOf(e)}`;
    return { ...noCommits, problems: (file) => [{ file, line: null, reason }] };
  }
}

async function lookUp(git: Git, folder: string, wanted: readonly string[]): Promise<FoundCommits> {
  const listed = await git.text(["cat-file", "--batch-check=%(objectname) %(objecttype)"], {
    input: `${wanted.map((w) => `${w}^{commit}`).join("\n")}\n`,
  });
  const resolved = new Map<string, string>();
  for (const [i, line] of listed.split("\n").entries()) {
    const match = /^([0-9a-f]{40,64}) commit$/.exec(line);
    const name = wanted[i];
    if (match?.[1] !== undefined && name !== undefined) resolved.set(name, match[1]);
  }
  if (resolved.size === 0) return noCommits;
  const parents = new Map<string, string>();
  const times = new Map<string, number>();
  const log = await git.text(["log", "--format=%H %ct %P", "--stdin"], {
    input: `${[...new Set(resolved.values())].join("\n")}\n`,
  });
  for (const line of log.split("\n")) {
    const [commit = "", seconds = "", first] = line.split(" ");
    times.set(commit, Number(seconds) * 1000);
    if (first !== undefined && first !== "") parents.set(commit, first);
  }
  return {
    folder,
    resolve: (name) => resolved.get(name) ?? null,
    timeOf: (commit) => (commit === null ? null : (times.get(commit) ?? null)),
    nearest: (commit, known) => {
      let at = parents.get(commit);
      for (let steps = 0; at !== undefined && steps < furthest; steps++) {
        const key = known.get(at);
        if (key !== undefined) return key;
        at = parents.get(at);
      }
      return undefined;
    },
    problems: () => [],
  };
}

/**
 * Makes the commits that the nodes of a lineage are available in the project's repository; they are fetched when they lie in
 * another one. Nothing of the other repository is changed.
 */
export async function fetchCommits(
  repository: Repository,
  lineage: Pick<ForeignLineage, "nodes" | "repository" | "name">,
): Promise<{ available: boolean; problems: readonly ForeignProblem[] }> {
  const commits = [...new Set(lineage.nodes.flatMap((n) => n.commit ?? []))];
  if (commits.length === 0 || lineage.repository === null) return { available: true, problems: [] };
  const lacking = async (): Promise<boolean> => {
    const listed = await repository.git.text(["cat-file", "--batch-check=%(objecttype)"], {
      input: `${commits.join("\n")}\n`,
    });
    return listed.split("\n").some((line) => line !== "commit");
  };
  if (!(await lacking())) return { available: true, problems: [] };
  try {
    // In portions, because an argument list has a limit.
    for (let i = 0; i < commits.length; i += 500)
      await repository.git.text([
        "fetch",
        "--quiet",
        "--no-tags",
        "--no-write-fetch-head",
        "--no-recurse-submodules",
        "--",
        lineage.repository,
        ...commits.slice(i, i + 500),
      ]);
  } catch (e) {
    if (!(e instanceof HarnessError)) throw e;
    const reason = `its commits could not be fetched from ${lineage.repository}, so stand-ins without code were made: ${messageOf(e)}`;
    return { available: false, problems: [{ file: lineage.name, line: null, reason }] };
  }
  return { available: true, problems: [] };
}
