import type { LedgerEntry } from "../../../../shared/ledger/ledger.ts";
import { inLine } from "../../base/plainText.ts";
import type { VersionRecord } from "../../lineage/records/versionRecord.ts";
import { sha256 } from "../../lineage/importing/importTree.ts";
import { resolveCommit } from "../../lineage/repository.ts";
import { createVersion } from "../../lineage/versions.ts";
import { isRun, runsFormat } from "../../proposals/standing/approvedOnRun.ts";
import type { Workspace } from "../workspace/workspace.ts";
import type { PlannedRun } from "./planRuns.ts";

/** The newest of the runs that were imported; undefined without any. Changes are made of it until there is a version that was trained here. */
export const newestRun = (versions: readonly VersionRecord[]): VersionRecord | undefined =>
  versions.findLast(isRun);

/**
 * Makes a version of each run, one after the other: your branch with the project's files, and with the settings that the run
 * had. They are imported, so the ledger says where they come from, and nothing was decided on them.
 * @throws HarnessError refMoved where a version of that name is there with other files
 */
export async function importRuns(
  { repository, ledger }: Pick<Workspace, "repository" | "ledger">,
  {
    domain,
    runs,
    files,
  }: {
    readonly domain: string;
    readonly runs: readonly PlannedRun[];
    /** The project's own files, by path. */
    readonly files: Readonly<Record<string, string>>;
  },
): Promise<void> {
  let commit = await resolveCommit(repository, "HEAD");
  const entries: LedgerEntry[] = [];
  for (const [i, run] of runs.entries()) {
    const parent = runs[i - 1]?.name ?? null;
    const title = titleOf(run, parent);
    const at = new Date(Math.floor(run.at));
    const edits = Object.entries({ ...files, ...run.files }).map(([path, content]) => ({ path, content }));
    const made = await createVersion(repository, {
      ...{ domain, name: run.name, parent: commit, edits, at },
      message: `${title}\n\nImported-From: ${runsFormat} ${run.name}`,
    });
    commit = made.commit;
    entries.push({
      ...{
        id: `version:${domain}:${run.name}`,
        at: at.toISOString(),
        domain,
        type: "version",
        version: run.name,
      },
      ...{ commit, parent, generation: i, factor: run.factor, intervention: null, title },
      origin: {
        ...{ format: runsFormat, lineage: domain, key: run.name, parents: parent === null ? [] : [parent] },
        ...{ status: null, note: "", missing: false, digest: sha256(JSON.stringify(run.files)).slice(0, 16) },
      },
    });
  }
  await ledger.append(entries, { isSigned: false });
}

function titleOf({ name, changes }: PlannedRun, parent: string | null): string {
  if (parent === null) return `imported run ${name}`;
  if (changes.length === 0) return `the settings of ${parent}`;
  const said = changes.slice(0, 6).map(({ path, from, to }) => `${path}: ${String(from)} → ${String(to)}`);
  // A value may hold line ends, and what follows the title of a commit is read by others.
  return inLine([...said, ...(changes.length > 6 ? [`${changes.length - 6} more`] : [])].join(", "));
}
