import { unnamedProposer } from "../../project/proposersOf.ts";
import type { Trial } from "../../../../shared/ledger/lineage.ts";
import { isHeld } from "../../lineage/records/held.ts";
import type { VersionRecord } from "../../lineage/records/versionRecord.ts";

type Job = VersionRecord["jobs"][number];

/**
 * What trying a version took and gave: its jobs together, without its audit, and its score against the best that was kept
 * before it. Null where no job ran; a number is null where not every job says it.
 */
export function trialOf(version: VersionRecord, bestBefore: number | null): Trial | null {
  const jobs = version.jobs.filter((job) => !isAudit(job));
  if (jobs.length === 0 || version.origin !== undefined) return null;
  const score = version.evidence.selection?.score?.value ?? null;
  const currency = jobs.find(({ price }) => price !== undefined)?.price?.currency;
  const hosts = [...new Set(jobs.flatMap(({ host }) => host ?? []))];
  return {
    proposer: version.hypothesis === undefined ? null : (version.hypothesis.proposer ?? unnamedProposer),
    seeds: [...new Set(jobs.flatMap(({ seeds = [] }) => seeds))],
    seconds: sum(jobs, ({ seconds }) => seconds),
    trainSeconds: sum(jobs, ({ trainSeconds }) => trainSeconds),
    evaluationSeconds: sum(jobs, ({ evaluationSeconds }) => evaluationSeconds),
    bytes: sum(jobs, ({ bytes }) => bytes),
    host: hosts.length === 0 ? null : hosts.join(", "),
    gpus: jobs.findLast(({ gpus }) => gpus !== undefined)?.gpus ?? null,
    cost: currency === undefined ? null : { amount: sum(jobs, ({ price }) => price?.amount) ?? 0, currency },
    deltaToBest: score === null || bestBefore === null ? null : score - bestBefore,
  };
}

const isAudit = ({ id, version }: Job): boolean => id === `job:${version}:audit`;

function sum(jobs: readonly Job[], of: (job: Job) => number | null | undefined): number | null {
  let total = 0;
  for (const job of jobs) {
    const one = of(job);
    if (one === null || one === undefined) return null;
    total += one;
  }
  return total;
}

/**
 * The best score of the kept versions before each version of a list, found out as far as somebody asks. A version that is held
 * is none of them: what it scores may be a shortcut.
 */
export class BestBefore {
  readonly #versions: readonly VersionRecord[];
  readonly #best: (number | null)[] = [null];

  constructor(versions: readonly VersionRecord[]) {
    this.#versions = versions;
  }

  at(place: number): number | null {
    for (let next = this.#best.length; next <= place; next++) {
      const before = this.#best[next - 1] ?? null;
      this.#best.push(better(before, this.#versions[next - 1]));
    }
    return this.#best[place] ?? null;
  }
}

function better(before: number | null, version: VersionRecord | undefined): number | null {
  const decision = version?.decision?.decision;
  const score = version?.evidence.selection?.score?.value;
  if (version === undefined || score === undefined || isHeld(version)) return before;
  if (decision !== "keep" && decision !== "base") return before;
  return before === null ? score : Math.max(before, score);
}
