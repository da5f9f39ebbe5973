import type { DiagnosticSpec } from "../../../shared/spec/diagnostic.ts";
import { namesPassedTo } from "../predicate/compileValue.ts";
import { namedFacts, type Facts, type MetricFacts, type VersionFacts } from "../predicate/facts.ts";
import { functionDefinitions } from "../predicate/functions.ts";

/** The metrics of a run, asked for as conditions ask: by exact name, or by what the field calls them. */
export type Curves = VersionFacts["metric"];

/** The functions of the language that read a training metric. */
export const metricFunctions: readonly string[] = functionDefinitions
  .filter((f) => f.parameters[0]?.name === "metric")
  .map((f) => f.name);

/** The metrics that the condition of a diagnostic reads, as it asks for them. */
export function metricsOfCondition({ over, label, params }: DiagnosticSpec): readonly string[] {
  if (over !== "version" || label.when === undefined) return [];
  return namesPassedTo(metricFunctions, label.when, "version", params);
}

/** The diagnostics whose condition reads training metrics: they can be asked while a run is still training. */
export const curveAlarms = (diagnostics: readonly DiagnosticSpec[]): DiagnosticSpec[] =>
  diagnostics.filter((spec) => metricsOfCondition(spec).length > 0);

/** The curves as they were when a step had just been written. */
export function until(curves: Curves, step: number): Curves {
  const cut = new Map<string, MetricFacts | null>();
  return (asked) => {
    const known = cut.get(asked);
    if (known !== undefined) return known;
    const whole = curves(asked);
    const end = whole === null ? 0 : countUntil(whole.steps, step);
    const now =
      whole === null || end === 0
        ? null
        : {
            ...whole,
            steps: whole.steps.slice(0, end),
            values: whole.values.slice(0, end),
            errors: whole.errors?.slice(0, end),
            gaps: whole.gaps?.filter((gap) => gap < (whole.steps[end - 1] ?? 0)),
            lostFrom: (whole.lostFrom ?? Infinity) <= step ? whole.lostFrom : undefined,
          };
    cut.set(asked, now);
    return now;
  };
}

/** Of steps in ascending order, how many are not later than this one. */
function countUntil(steps: readonly number[], step: number): number {
  let [low, high] = [0, steps.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((steps[middle] ?? 0) <= step) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** From so many steps without a number on a metric counts as lost; it has to have had as many before. */
export const fewestLost = 3;

/**
 * What the steps without a number say of a metric of one run, beside those with one, both in ascending order: from which on it is
 * lost, and where numbers came back. What is logged now and then has gaps before as well, and is not lost.
 */
export function lossOf(
  told: readonly number[],
  missing: readonly number[],
): Pick<MetricFacts, "lostFrom" | "gaps"> {
  const [first = Infinity, last = Infinity] = [told[0], told.at(-1)];
  const after = missing.filter((step) => step > last);
  const isLost =
    after.length >= fewestLost &&
    told.length >= fewestLost &&
    (missing.length - after.length) * 2 < after.length;
  return {
    lostFrom: isLost ? after[0] : undefined,
    gaps: missing.filter((step) => step > first && step < last),
  };
}

/** Facts of which only the curves are known. */
export const factsOf = (curves: Curves): Facts =>
  namedFacts({}, { version: { rate: () => null, metric: curves } });

/** The score of a run or, where it logs none, its reward. */
export const scoreOf = (curves: Curves): MetricFacts | null => curves("score") ?? curves("reward");

/** Names of which one is enough: some trainers log a score, some a reward, and groups are counted in several ways. */
export const alternatives: readonly (readonly string[])[] = [
  ["score", "reward"],
  ["flat_groups", "mixed_groups", "mixed_groups_percent", "group_spread"],
];
/** What makes a condition finer that also works without it. */
const refinements: ReadonlySet<string> = new Set(["longest_response", "lowest_reward", "highest_reward"]);
/** What only shows, beside the policy loss, that something is learned although it is 0. */
const besideLoss: ReadonlySet<string> = new Set(["grad_norm", "score", "reward"]);

/** Of the metrics that a condition asks for, those without which it says nothing. */
export const neededOf = (asked: readonly string[]): string[] =>
  asked.filter((name) => !refinements.has(name) && !(asked.includes("policy_loss") && besideLoss.has(name)));

/** Whether a run logs what an alarm looks at; a score beside it does not count. A run that does not says nothing of the alarm. */
export function canFire(spec: DiagnosticSpec, curves: Curves): boolean {
  const asked = neededOf(metricsOfCondition(spec));
  const own = asked.filter((name) => alternatives[0]?.includes(name) !== true);
  return (own.length === 0 ? asked : own).some((name) => (curves(name)?.values.length ?? 0) > 0);
}
