import type { Lineage } from "../../lineage/graph.ts";

/** What training a version has cost so far, in seconds of its jobs; null before any was trained. */
export interface CostEstimate {
  readonly median: number;
  readonly low: number;
  readonly high: number;
  /** From how many versions. */
  readonly versions: number;
}

/** From the finished jobs of earlier versions that were trained; a base version is only measured. */
export function costEstimate({ versions }: Lineage): CostEstimate | null {
  const seconds = versions
    .filter((v) => v.parent !== null && v.origin === undefined)
    .flatMap((v) => {
      const known = v.jobs.filter((j) => j.state === "finished").flatMap((j) => j.seconds ?? []);
      return known.length === 0 ? [] : [known.reduce((sum, s) => sum + s, 0)];
    })
    .sort((a, b) => a - b);
  const [low, high] = [seconds[0], seconds.at(-1)];
  if (low === undefined || high === undefined) return null;
  const middle = Math.floor(seconds.length / 2);
  const upper = seconds[middle] ?? high;
  const median = seconds.length % 2 === 1 ? upper : ((seconds[middle - 1] ?? upper) + upper) / 2;
  return { median, low, high, versions: seconds.length };
}
