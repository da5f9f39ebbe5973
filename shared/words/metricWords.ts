/** Metrics that a sentence calls otherwise than by their letters. */
const named: Readonly<Record<string, string>> = {
  dead_group_ratio: "the share of dead groups",
  turns_mean: "the number of turns",
};

/** A metric within a sentence: `the solve rate` for solve_rate. */
export const metricWords = (metric: string): string => named[metric] ?? `the ${metric.replaceAll("_", " ")}`;
