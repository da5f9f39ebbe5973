import type { Aggregator, ItemMetric } from "./outcomes.ts";

/** A metric by the name that it was asked for by. */
export interface NamedMetric {
  readonly name: string;
  /** "iqm": the interquartile mean over items and seeds, which is no mean of one value per item. */
  readonly metric: ItemMetric | "iqm";
}

/** The names, for help and messages. */
export const metricNames = "avg, macro, micro, avg@k, pass@k, pass^k or iqm, such as pass@4";

const withK: Readonly<Record<string, "average" | "any" | "all">> = {
  "avg@": "average",
  "pass@": "any",
  "pass^": "all",
};

/** A metric by its name; `avg` and `solve_rate` go by the project's aggregator. Undefined when there is none so called. */
export function metricNamed(name: string, aggregator: Aggregator): NamedMetric | undefined {
  if (name === "avg" || name === "solve_rate") return { name: "solve_rate", metric: aggregator };
  if (name === "macro" || name === "micro" || name === "iqm") return { name, metric: name };
  const [, family = "", digits = ""] = /^(avg@|pass@|pass\^)([1-9]\d{0,5})$/.exec(name) ?? [];
  const of = withK[family];
  return of === undefined ? undefined : { name, metric: { of, k: Number(digits) } };
}
