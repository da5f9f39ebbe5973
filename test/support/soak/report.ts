import type { SoakReport } from "./soak.ts";

const listed = (counts: ReadonlyMap<string, number>): string =>
  [...counts].map(([name, count]) => `${name} ${count}`).join(", ");

/** The result of a soak test in a few lines. */
export function reportOf(report: SoakReport, seed: number): string {
  const total = [...report.faults.values()].reduce((sum, count) => sum + count, 0);
  const sorted = [...report.recoveries].sort((a, b) => a - b);
  const at = (share: number): string => (sorted[Math.floor(share * (sorted.length - 1))] ?? 0).toFixed(1);
  return [
    `seed ${seed}: ${total} faults, ${report.struck} of them while a job was on its way, and ${report.jobs} jobs (${report.versions} of them versions) in ${Math.round(report.seconds)} s`,
    `  faults: ${listed(report.faults)}`,
    ...report.missing.map((text) => `  not had: ${text}`),
    `  ends: ${listed(report.ends)}`,
    `  evidence: ${(report.bytes / 1024 ** 2).toFixed(1)} MiB, each byte once`,
    `  followed again after ${at(0.5)} s (median), ${at(0.9)} s (90 %), ${at(1)} s (most)`,
    ...[...report.said].map(([text, count]) => `  said ${count} times: ${text}`),
    `  wrong: ${report.wrong.length}`,
    ...report.wrong.map((text) => `    ${text}`),
  ].join("\n");
}
