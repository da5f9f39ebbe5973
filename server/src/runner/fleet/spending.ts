import type { HostBudget, HostPrice, HostSpec } from "../../../../shared/spec/host.ts";

/** A run as its record tells it. Times in milliseconds since 1970. */
export interface RunRecord {
  readonly run: string;
  /** Host in evotrainer.yaml; null for this machine. */
  readonly host: string | null;
  /** When its place was chosen. */
  readonly at: number;
  /** Null while it is not over. */
  readonly ended: number | null;
  /** Hours that it took, or that it may take at most while it is not over. */
  readonly hours: number;
  readonly gpus: number;
}

export interface Spending {
  readonly hours: number;
  /** In the currency of the price; 0 without a price. */
  readonly cost: number;
}

const hourMs = 3_600_000;
const dayMs = 24 * hourMs;
/** A run that nobody has heard of for so long is not waited for. */
const forgottenMs = 30 * dayMs;

/** What an hour of a job with so many GPUs costs. */
export const hourlyPrice = (price: HostPrice | undefined, gpus: number): number =>
  price === undefined ? 0 : price.perHour + gpus * price.perGpuHour;

/** GPUs that each job of a host has, wherever that is said. */
export function gpusPerJob({ gpus, slurm, ray }: Pick<HostSpec, "gpus" | "slurm" | "ray">): number {
  if (ray !== undefined) return ray.gpus ?? gpus;
  if (slurm === undefined) return gpus;
  const asked =
    slurm.gres === undefined
      ? gpus
      : slurm.gres
          .split(",")
          .map((one) => /^gpu(?::(?!\d+(?:\(|$))[^:()]+)?(?::(\d+))?(?:\(.*)?$/.exec(one))
          .reduce((sum, found) => sum + (found === null ? 0 : Number(found[1] ?? 1)), 0);
  return asked * (slurm.nodes ?? 1);
}

/** What runs took since a time; those that are not over count with all that they may take. */
export function spentSince(
  runs: readonly RunRecord[],
  price: HostPrice | undefined,
  { since, now }: { readonly since: number; readonly now: number },
): Spending {
  let hours = 0;
  let cost = 0;
  for (const run of runs) {
    const took = hoursSince(run, since, now);
    hours += took;
    cost += took * hourlyPrice(price, run.gpus);
  }
  return { hours, cost };
}

function hoursSince({ at, ended, hours }: RunRecord, since: number, now: number): number {
  if (ended === null) return at < now - forgottenMs ? 0 : hours;
  const begun = ended - hours * hourMs;
  return Math.max(0, (ended - Math.max(begun, since)) / hourMs);
}

/** From when on runs count for a budget. */
export const budgetBegins = (budget: HostBudget, evolution: number, now: number): number =>
  budget.per === "day" ? now - dayMs : evolution;

/** Whether a job that may take so many hours fits into what is left of a budget. */
export function fits(
  budget: HostBudget | undefined,
  spent: Spending,
  job: { readonly hours: number; readonly cost: number },
): boolean {
  const slack = 1e-9;
  return (
    budget === undefined ||
    ((budget.hours === undefined || spent.hours + job.hours <= budget.hours + slack) &&
      (budget.cost === undefined || spent.cost + job.cost <= budget.cost + slack))
  );
}

/** When a job that does not fit now will, because what runs took is long ago; undefined when never. */
export function fitsFrom(
  budget: HostBudget,
  runs: readonly RunRecord[],
  price: HostPrice | undefined,
  job: { readonly hours: number; readonly cost: number; readonly now: number },
): number | undefined {
  if (budget.per !== "day" || !fits(budget, { hours: 0, cost: 0 }, job)) return undefined;
  // Room grows only while the hours of a run leave the last day; looking every quarter of an hour is enough.
  for (let at = job.now; at <= job.now + dayMs + hourMs; at += hourMs / 4) {
    const spent = spentSince(runs, price, { since: at - dayMs, now: job.now });
    if (fits(budget, spent, job)) return at;
  }
  return undefined;
}
