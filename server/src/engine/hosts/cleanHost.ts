import { readdir } from "node:fs/promises";
import { join } from "node:path";
import type { VersionRecord } from "../../lineage/records/versionRecord.ts";
import { buildLineage, domainsOf } from "../../lineage/graph.ts";
import { exists } from "../../base/files.ts";
import { hashOf } from "../../runner/ssh/fetchFiles.ts";
import type { HostCleaner, HostHoldings, HostItem, HostRun } from "../../runner/ssh/hostCleaner.ts";
import { sizeOfCopy } from "../../runner/ssh/localCopy.ts";
import { contentKey } from "../../runner/ssh/contents.ts";
import { ownerOf } from "../../runner/job/runPlace.ts";
import { readOutcome } from "../../runner/job/outcome.ts";
import { parseRunId, policyPath, runFolder } from "../workspace/runs.ts";
import type { Workspace } from "../workspace/workspace.ts";

/** A run, checkout or policy on a host, and why it stays; null when it goes. */
export interface CleanedItem {
  readonly kind: HostItem["kind"];
  readonly name: string;
  readonly bytes: number;
  readonly kept: string | null;
}

/** Without a job it may be about to get one. */
const unclaimedSeconds = 86_400;
/** Works that start from a policy and leave none. */
const measuring = new Set<string>(["audit", "again"]);
/** Whoever was decided so is not trained on from. */
const dropped = new Set<string>(["reject", "invalid", "prune", "revert"]);

/**
 * Removes from a host what is not needed there any more: runs that are judged and whose evidence, and policy where the lineage
 * needs it, is here byte for byte; checkouts of such runs; policies that neither a version that counts nor a job needs.
 * @throws HarnessError hostUnreachable, hostRefused, jobFailed
 */
export async function cleanHost(
  workspace: Workspace,
  host: string,
  cleaner: HostCleaner,
  options: {
    readonly olderThanSeconds: number;
    readonly dryRun: boolean;
    /** `trainer.data` of the project. */
    readonly data: readonly string[];
  },
): Promise<CleanedItem[]> {
  const holdings = await cleaner.look();
  const versions = await allVersions(workspace);
  const reasons: [HostItem, string | null][] = [];
  const judge = async (item: HostItem, reason: () => Promise<string | null>): Promise<void> => {
    reasons.push([
      item,
      item.ageSeconds < options.olderThanSeconds ? "it is younger than that" : await reason(),
    ]);
  };
  const needed =
    holdings.policies.length === 0 ? new Set() : await neededKeys(workspace, versions, options.data);
  for (const run of holdings.runs)
    await judge(run, () => whyRunStays({ workspace, host, cleaner, versions }, run));
  for (const item of holdings.checkouts) await judge(item, () => whyCheckoutStays(workspace, item, holdings));
  for (const item of holdings.policies)
    await judge(item, () => Promise.resolve(whyPolicyStays(item, holdings, needed)));
  const cleaned: CleanedItem[] = [];
  for (const [item, reason] of reasons) {
    const { kind, name, bytes } = item;
    const isGone = reason === null && (options.dryRun || (await cleaner.remove(item)));
    cleaned.push({ kind, name, bytes, kept: isGone ? null : (reason ?? "something has started to use it") });
  }
  return cleaned;
}

interface Known {
  readonly workspace: Workspace;
  readonly host: string;
  readonly cleaner: HostCleaner;
  readonly versions: readonly VersionRecord[];
}

async function whyRunStays(known: Known, run: HostRun): Promise<string | null> {
  const { workspace, host, cleaner, versions } = known;
  if (!run.isOver) return "its job is not over";
  const folder = runFolder(workspace, run.name);
  if ((await ownerOf(folder).catch(() => undefined)) !== host) return "it is not known here";
  if ((await readOutcome(folder)) === undefined) return "it is not judged yet";
  const name = parseRunId(run.name);
  const files = [...run.files].flatMap(([file, { size }]) => (size > 0 ? [{ file, size }] : []));
  for (const { file, size } of files)
    if ((await sizeOfCopy(join(folder, file))) !== size) return `${file} has no identical copy here`;
  const wanted = files.map(({ file }) => ({ there: file, here: join(folder, file) }));
  const version = versions.find((v) => v.name === name?.version);
  if (name !== undefined && !measuring.has(name.work) && !dropped.has(version?.decision?.decision ?? "")) {
    const policy = await cleaner.policyFiles(run.name);
    if (policy === undefined) return "nobody can tell what its policy is";
    for (const there of policy)
      wanted.push({ there, here: `${policyPath(workspace, name)}${there.slice("policy".length)}` });
  }
  for (const { here } of wanted)
    if (!(await exists(here))) return "its policy is not here, and the lineage needs it";
  const hashes = await cleaner.hashes(
    run.name,
    wanted.map(({ there }) => there),
  );
  for (const { there, here } of wanted)
    if ((await hashOf(here)) !== hashes.get(there)) return `${there} has no identical copy here`;
  return null;
}

async function whyCheckoutStays(
  workspace: Workspace,
  { name, ageSeconds }: HostItem,
  { runs }: HostHoldings,
): Promise<string | null> {
  const run = runs.find((r) => r.name === name);
  if (run?.isOver === false) return "its job is not over";
  // Whether the evaluation was changed is seen in the checkout.
  if ((await readOutcome(runFolder(workspace, name))) !== undefined) return null;
  if (run !== undefined) return "its run is not judged yet";
  return ageSeconds < unclaimedSeconds ? "its job may be about to start" : null;
}

function whyPolicyStays(
  { name, ageSeconds }: HostItem,
  { policiesInUse }: HostHoldings,
  needed: ReadonlySet<unknown>,
): string | null {
  if (name.includes(".")) return ageSeconds < unclaimedSeconds ? "it may still be arriving" : null;
  if (policiesInUse.has(name)) return "a job that is not over starts from it";
  return needed.has(name) ? "the lineage needs it" : null;
}

async function allVersions({ ledger }: Workspace): Promise<VersionRecord[]> {
  const { entries } = await ledger.read();
  return domainsOf(entries).flatMap((domain) => buildLineage(entries, domain).versions);
}

/** Content keys of the policies that a version may be trained on from, and of the data that runs read. */
async function neededKeys(
  workspace: Workspace,
  versions: readonly VersionRecord[],
  data: readonly string[],
): Promise<ReadonlySet<string>> {
  const keys = new Set<string>();
  const runs = await readdir(runFolder(workspace, "")).catch(() => []);
  for (const run of runs) {
    const name = parseRunId(run);
    const version = versions.find((v) => v.name === name?.version);
    if (name === undefined || dropped.has(version?.decision?.decision ?? "")) continue;
    const path = policyPath(workspace, name);
    if (await exists(path)) keys.add(await contentKey(path));
  }
  for (const path of data) {
    const at = join(workspace.root, path);
    if (await exists(at)) keys.add(await contentKey(at));
  }
  return keys;
}
