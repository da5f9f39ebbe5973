import { readdir, stat } from "node:fs/promises";
import { join } from "node:path";
import type { JobCost } from "../../../../shared/ledger/ledger.ts";
import { hourlyPrice, type RunRecord } from "../../runner/fleet/spending.ts";
import { evidenceFiles } from "../../runner/job/evidenceSummary.ts";
import { hostsOf } from "../jobs/jobList.ts";
import { runRecords } from "../jobs/runRecords.ts";
import { here } from "../workspace/machineNames.ts";
import { policyPath, runFolder, runId, type RunName } from "../workspace/runs.ts";
import type { Workspace } from "../workspace/workspace.ts";

/**
 * What the jobs of a version took, for the ledger: by the engine's own records of its runs, and the prices as they are now.
 * When an evaluation began is known of runs on this machine only: when the trainer wrote its last metrics.
 */
export async function jobCost(workspace: Workspace, names: readonly RunName[]): Promise<JobCost> {
  const wanted = new Map(names.map((name) => [runId(name), name]));
  const records = (await runRecords(workspace.engineFolder)).filter(
    ({ run, ended }) => ended !== null && wanted.has(run),
  );
  if (records.length === 0) return {};
  const hosts = await hostsOf(workspace.root);
  const hours = records.reduce((sum, { hours: own }) => sum + own, 0);
  const gpuHours = records.reduce((sum, record) => sum + record.hours * record.gpus, 0);
  const prices = records.flatMap(({ host, hours: own, gpus }) => {
    const name = host ?? here;
    const price = Object.hasOwn(hosts, name) ? hosts[name]?.price : undefined;
    return price === undefined ? [] : [{ currency: price.currency, amount: own * hourlyPrice(price, gpus) }];
  });
  const currency = prices[0]?.currency;
  const own = names.filter((name) => records.some(({ run }) => run === runId(name)));
  let bytes = 0;
  for (const name of own) bytes += await bytesLeft(workspace, name);
  const evaluation = await evaluationSeconds(workspace, records, wanted);
  return {
    seeds: own.map(({ seed }) => seed),
    wallSeconds: wallSeconds(records),
    host: [...new Set(records.map(({ host }) => host ?? here))].sort().join(", "),
    gpus: hours === 0 ? Math.max(...records.map(({ gpus }) => gpus)) : gpuHours / hours,
    bytes,
    ...(currency === undefined
      ? {}
      : {
          price: {
            currency,
            amount: prices.filter((p) => p.currency === currency).reduce((sum, p) => sum + p.amount, 0),
          },
        }),
    ...(evaluation === null
      ? {}
      : { evaluationSeconds: evaluation, trainSeconds: Math.max(0, hours * 3600 - evaluation) }),
  };
}

function wallSeconds(records: readonly RunRecord[]): number {
  const ends = records.map(({ ended, at }) => ended ?? at);
  const starts = records.map(({ ended, at, hours }) => (ended ?? at) - hours * 3_600_000);
  return Math.max(0, (Math.max(...ends) - Math.min(...starts)) / 1000);
}

/** Null where that is not known of every run. */
async function evaluationSeconds(
  workspace: Workspace,
  records: readonly RunRecord[],
  names: ReadonlyMap<string, RunName>,
): Promise<number | null> {
  let seconds = 0;
  for (const { run, host, ended, hours } of records) {
    const took = hours * 3600;
    if (names.get(run)?.work !== "train") {
      seconds += took;
      continue;
    }
    const written = await stat(join(runFolder(workspace, run), evidenceFiles.metrics)).catch(() => undefined);
    if (host !== null || ended === null || written === undefined) return null;
    seconds += Math.min(took, Math.max(0, (ended - written.mtimeMs) / 1000));
  }
  return seconds;
}

/** The policy and the evidence of a run, as far as they are here. */
async function bytesLeft(workspace: Workspace, name: RunName): Promise<number> {
  const folder = runFolder(workspace, runId(name));
  let bytes = await sizeOf(policyPath(workspace, name));
  for (const file of Object.values(evidenceFiles)) bytes += await sizeOf(join(folder, file));
  return bytes;
}

async function sizeOf(path: string): Promise<number> {
  const found = await stat(path).catch(() => undefined);
  if (found === undefined) return 0;
  if (!found.isDirectory()) return found.size;
  let bytes = 0;
  // A job can nest folders deeper than names may be long.
  const entries = await readdir(path, { withFileTypes: true, recursive: true }).catch(() => []);
  for (const entry of entries)
    if (entry.isFile())
      bytes += (await stat(join(entry.parentPath, entry.name)).catch(() => ({ size: 0 }))).size;
  return bytes;
}
