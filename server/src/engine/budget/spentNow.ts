import type { HostSpec } from "../../../../shared/spec/host.ts";
import type { ProjectSpec } from "../../../../shared/spec/project.ts";
import type { LedgerEntry } from "../../../../shared/ledger/ledger.ts";
import { estimateEach, type Estimate } from "../../decision/budgets/estimate.ts";
import { spentBy, type Amounts, type OpenJob, type QuestionEntry } from "../../decision/budgets/spending.ts";
import { gpusPerJob, hourlyPrice, type RunRecord } from "../../runner/fleet/spending.ts";
import { here } from "../workspace/machineNames.ts";
import { parseRunId, type RunName } from "../workspace/runs.ts";

type JobEntry = Extract<LedgerEntry, { type: "job" }>;
type Hosts = Readonly<Record<string, HostSpec>>;

/** What is read of a project to know what its evolution spent and will spend. */
export interface Books {
  readonly spec: ProjectSpec;
  readonly jobs: readonly JobEntry[];
  /** Questions to proposers: they use tokens and money. */
  readonly questions: readonly QuestionEntry[];
  readonly runs: readonly RunRecord[];
  readonly hosts: Hosts;
  /** When the evolution began. */
  readonly since: string;
}

/** What the evolution has spent; `but`: runs that are counted elsewhere. */
export function spentNow(
  { spec, jobs: all, questions, runs, hosts, since }: Books,
  but: ReadonlySet<string> = new Set(),
): Amounts {
  const jobs = all.filter((e) => e.domain === spec.domain && Date.parse(e.at) >= Date.parse(since));
  const open = runs
    .filter(({ at, ended }) => (ended ?? at) >= Date.parse(since))
    .flatMap((run): OpenJob[] => {
      const name = parseRunId(run.run);
      if (name === undefined || but.has(run.run) || jobs.some((job) => covers(job, name, run.run))) return [];
      const price = hosts[run.host ?? here]?.price;
      return [
        {
          version: name.version,
          seconds: run.hours * 3600,
          gpus: run.gpus,
          hourly: hourlyPrice(price, run.gpus),
        },
      ];
    });
  const trainings = runs.filter(
    ({ run, at, ended }) =>
      (ended ?? at) >= Date.parse(since) && !but.has(run) && parseRunId(run)?.work === "train",
  ).length;
  return spentBy([...jobs, ...questions], { domain: spec.domain, since, open, trainings });
}

/** Whether jobs of a version ran in this evolution, or run. */
export function hasJobs({ jobs, runs, since }: Books, version: string): boolean {
  const isLater = (at: number): boolean => at >= Date.parse(since);
  return (
    jobs.some((e) => e.version === version && isLater(Date.parse(e.at))) ||
    runs.some(({ run, at, ended }) => parseRunId(run)?.version === version && isLater(ended ?? at))
  );
}

/** Whether the ledger tells of a run that is over. */
export function isRecorded({ jobs }: Pick<Books, "jobs">, run: string): boolean {
  const name = parseRunId(run);
  return name !== undefined && jobs.some((job) => covers(job, name, run));
}

/** Whether an entry tells of a run: of it alone, or of the seeds of a version's training, second evaluation or audit. */
function covers(job: JobEntry, { version, work, seed, attempt }: Required<RunName>, run: string): boolean {
  if (job.job === run) return true;
  if (job.version !== version || attempt > 1) return false;
  if (job.seeds !== undefined && !job.seeds.includes(seed)) return false;
  const kind = (["audit", "again"] as const).find((one) => job.id.startsWith(`job:${version}:${one}`));
  return (kind ?? "train") === (work === "selection" ? "train" : work) && job.job === version;
}

/** What the next version will take: as the last ones did, on the machine where the last one ran or the next one will. */
export function estimateNow({ spec, jobs: all, hosts }: Books, machine: string): Estimate {
  const jobs = all.filter((e) => e.domain === spec.domain && !e.id.startsWith(`job:${e.version}:audit`));
  const last = jobs.findLast(
    (job) => job.state === "finished" && job.gpus !== undefined && (job.seconds ?? 0) > 0,
  );
  const host = hosts[machine];
  const gpus = last?.gpus ?? (host === undefined ? 0 : gpusPerJob(host));
  const hourly =
    last?.price !== undefined && last.seconds !== null
      ? (last.price.amount / last.seconds) * 3600
      : hourlyPrice(host?.price, gpus);
  return estimateEach({
    ...{ jobs, gpus, hourly },
    // The loop trains one seed after the other: each is estimated by itself.
    seeds: 1,
    budgetSeconds: spec.trainer.budgetSeconds,
    parallel: host?.jobs ?? spec.budgets.parallelJobs,
  });
}

/** The currency of the hosts' prices; null without a price. `several`: they cannot be added up. */
export function currencyOf(hosts: Hosts): {
  readonly currency: string | null;
  readonly several: readonly string[];
} {
  const all = [...new Set(Object.values(hosts).flatMap(({ price }) => price?.currency ?? []))].sort();
  return { currency: all[0] ?? null, several: all.length > 1 ? all : [] };
}
