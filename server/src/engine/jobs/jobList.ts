import type { JobRow, MachineSpending } from "../../../../shared/protocol/views/job.ts";
import { HarnessError } from "../../base/errors.ts";
import type { Executor } from "../../runner/job/executor.ts";
import { runsFolder } from "../workspace/archive.ts";
import { knownHosts } from "../hosts/knownHosts.ts";
import { localExecutor } from "../workspace/localExecutor.ts";
import { engineFolderOf } from "../workspace/workspace.ts";
import { jobRow, type Hosts } from "./jobRow.ts";
import { spendingBy } from "./spending.ts";
import { changedEvidenceOf } from "./changedEvidence.ts";
import { judgedVersions, type Judged } from "./judged.ts";
import { jobNames } from "./lookUp.ts";
import { definePlainService } from "../workspace/service.ts";

/** Jobs that have their verdict do not change any more: they are read once. By folder and host prices. */
const settled = new Map<string, JobRow>();

const activeStates: readonly JobRow["state"][] = ["running", "queued", "checking"];

/** The executor of this machine for a project, without its repository. */
export const executorOf = (root: string): Executor => localExecutor({ engineFolder: engineFolderOf(root) });

/** The hosts of a project; none where its file cannot be read, which is told elsewhere. */
export async function hostsOf(root: string): Promise<Hosts> {
  try {
    const { hosts } = await knownHosts(root);
    return Object.fromEntries([...hosts].map(([name, { spec }]) => [name, spec]));
  } catch (e) {
    if (HarnessError.is(e, "projectInvalid") || HarnessError.is(e, "projectMissing")) return {};
    throw e;
  }
}

/** All jobs of a project: those that are not over first, each part with the newest first. */
export async function allJobs(root: string, executor: Executor = executorOf(root)): Promise<JobRow[]> {
  const hosts = await hostsOf(root);
  const judged = await judgedVersions(root);
  const rows: JobRow[] = [];
  for (const id of await jobNames(runsFolder({ engineFolder: engineFolderOf(root) }))) {
    const row = await rowOf(executor, id, hosts);
    if (row !== undefined) rows.push(await withRecord(root, row, judged));
  }
  const rank = ({ state }: JobRow): number => {
    const place = activeStates.indexOf(state);
    return place < 0 ? activeStates.length : place;
  };
  return rows.sort(
    (a, b) =>
      rank(a) - rank(b) || (b.startedAt ?? "").localeCompare(a.startedAt ?? "") || a.id.localeCompare(b.id),
  );
}

/** What came of a job after it had ended: that its evidence changed, how its version compares, or that this does not count. */
export async function withRecord(root: string, row: JobRow, judged: Judged): Promise<JobRow> {
  const changed = await changedEvidenceOf(root, row.id);
  return {
    ...row,
    ...(changed === undefined ? {} : { changed }),
    ...judged(row.version),
  };
}

async function rowOf(executor: Executor, id: string, hosts: Hosts): Promise<JobRow | undefined> {
  const key = `${executor.directoryOf(id)} ${JSON.stringify(hosts)}`;
  const known = settled.get(key);
  if (known !== undefined) return known;
  try {
    const row = await jobRow(executor, id, hosts);
    if (row.state === "finished" || row.state === "failed") settled.set(key, row);
    return row;
  } catch (e) {
    // A folder whose job was never submitted, or whose name no job can have.
    if (HarnessError.is(e, "notFound") || HarnessError.is(e, "badInput")) return undefined;
    throw e;
  }
}

/** A page of the jobs. The cursor is a place in the order, which new jobs move. */
export const jobsList = definePlainService("jobs.list", {
  repeatable: true,
  async run({ root }, { limit, cursor }) {
    const all = await allJobs(root);
    const from = Number(cursor ?? 0);
    const jobs = all.slice(from, from + limit);
    return {
      jobs,
      total: all.length,
      active: all.filter(({ state }) => activeStates.includes(state)).length,
      spending: await spendingOf(root, all),
      ...(from + jobs.length < all.length ? { next: String(from + jobs.length) } : {}),
    };
  },
});

/** What the jobs of a project took, by machine. `rows` are all of them. */
export async function spendingOf(root: string, rows: readonly JobRow[]): Promise<MachineSpending[]> {
  return spendingBy(rows, { engineFolder: engineFolderOf(root), hosts: await hostsOf(root) });
}
