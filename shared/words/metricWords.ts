/** Metrics that a sentence calls otherwise than by their letters. */
const named: Readonly<Record<string, string>> = {
  dead_group_ratio: "the share of dead groups",
  turns_mean: "the number of turns",
};

/** A metric within a sentence: `the solve rate` for solve_rate. */
export const metricWords = (metric: string): string => named[metric] ?? `the ${metric.replaceAll("_", " ")}`;

/** Which way a chart is better. Where neither is, that is said as well, so that nobody guesses. */
export const betterWords = {
  higher: "↑ higher is better",
  lower: "↓ lower is better",
  neither: "neither way is better",
} as const;
