import { labelShare, type LabelShare } from "../../../shared/model/labelShare.ts";
import {
  bestWindow,
  changeOf,
  dropOf,
  gainOf,
  gainSince,
  jumpOf,
  meanOf,
  peakOf,
  shareAboveLowest,
  stepsAtLowest,
  windowsOf,
} from "../statistics/curves.ts";
import type { FunctionDefinition } from "./functionDefinition.ts";
import type { Facts, MetricFacts } from "./facts.ts";
import type { Scope, Value } from "./types.ts";

export const scopes: readonly Scope[] = ["version"];
const label = { name: "label", type: "string", constant: true } as const;
export const metric = { name: "metric", type: "string", constant: true } as const;

/** The names of the field that a metric function takes besides exact ones. */
const rolesSentence = "Give the metric's exact name, or a common name: score, entropy, kl, grad_norm ….";

const shareProblem = ([, share]: readonly (Value | undefined)[]): string | undefined =>
  typeof share === "number" && share >= 0 && share <= 1
    ? undefined
    : "A percentile is given as a share from 0 to 1, such as 0.95.";

const rate = (
  name: string,
  doc: string,
  of: "this" | "parent",
  value: (share: LabelShare) => number | null,
): FunctionDefinition => ({
  name,
  parameters: [label],
  returns: "double",
  scopes,
  doc,
  run: ([a], { version }) => {
    const tally = version?.rate(String(a), of) ?? null;
    return tally === null || tally.rollouts === 0 ? null : value(labelShare(tally));
  },
});

export const overSteps = (
  name: string,
  doc: string,
  value: (found: MetricFacts, args: readonly Value[]) => number | null,
  more: Pick<FunctionDefinition, "parameters"> & Partial<Pick<FunctionDefinition, "check">> = {
    parameters: [metric],
  },
): FunctionDefinition => ({
  name,
  returns: "double",
  scopes,
  doc,
  ...more,
  run: (args, { version }: Facts) => {
    const found = version?.metric(String(args[0])) ?? null;
    if (found === null || found.values.length === 0) return null;
    const result = value(found, args);
    return result === null || !Number.isFinite(result) ? null : result;
  },
});

const atStep = { parameters: [metric, { name: "step", type: "int" }] } as const;
const isBefore = (step: number | undefined, of: Value | undefined): boolean =>
  step !== undefined && step < Number(of);

/** Functions over all evidence of a version: rates of labels, and training metrics over the steps. */
export const versionFunctions: readonly FunctionDefinition[] = [
  rate(
    "rate",
    "Share of rollouts that carry the label, among those for which it could be decided.",
    "this",
    (share) => share.rate,
  ),
  rate(
    "rate_low",
    "The rate of a label if all undecided rollouts were clear.",
    "this",
    ({ bounds: [low] }) => low,
  ),
  rate(
    "rate_high",
    "The rate of a label if all undecided rollouts carried it.",
    "this",
    ({ bounds: [, high] }) => high,
  ),
  rate("parent_rate", "The rate of a label in the parent version.", "parent", (share) => share.rate),
  {
    name: "steps",
    parameters: [metric],
    returns: "int",
    scopes,
    doc: `Training steps at which a metric has a value; 0 if there is no such metric. ${rolesSentence}`,
    run: ([a], { version }) => BigInt(version?.metric(String(a))?.values.length ?? 0),
  },
  {
    name: "metric_name",
    parameters: [metric],
    returns: "string",
    scopes,
    doc: "The exact name of the metric that a common name stands for; missing if the version has no such metric.",
    run: ([a], { version }) => version?.metric(String(a))?.name ?? null,
  },
  overSteps("last", "The last value of a training metric.", ({ values }) => values.at(-1) ?? null),
  overSteps("first", "The first value of a training metric.", ({ values }) => values[0] ?? null),
  overSteps("mean", "The mean of a training metric over the steps.", ({ values }) => meanOf(values)),
  overSteps(
    "early",
    "The mean of a training metric over the first tenth of its steps, five of them or more.",
    ({ values }) => meanOf(windowsOf(values).early),
  ),
  overSteps(
    "late",
    "The mean of a training metric over the last tenth of its steps, five of them or more.",
    ({ values }) => meanOf(windowsOf(values).late),
  ),
  overSteps(
    "gain",
    "By how many standard deviations of its steps a training metric rose from early to late; missing if there are fewer than four steps.",
    ({ values }) => gainOf(values),
  ),
  overSteps(
    "best",
    "The highest mean of a training metric over as many steps in a row as late has.",
    ({ values }) => meanOf(bestWindow(values)),
  ),
  overSteps(
    "drop",
    "By how many standard deviations of its steps the late mean of a training metric lies below its best; missing if there are fewer than four steps.",
    ({ values }) => dropOf(values),
  ),
  overSteps("peak", "The highest mean of a training metric over three steps in a row.", ({ values }) =>
    peakOf(values),
  ),
  {
    name: "change_step",
    parameters: [metric],
    returns: "int",
    scopes,
    doc: "The first step after the largest change of a training metric's level; missing if there are fewer than ten steps, or if the two levels differ by less than twice the standard deviation of the steps around them.",
    run: ([a], { version }) => {
      const found = version?.metric(String(a)) ?? null;
      const step = found === null ? undefined : found.steps[changeOf(found.values)?.at ?? -1];
      return step === undefined ? null : BigInt(step);
    },
  },
  overSteps(
    "before_change",
    "The mean of a training metric over the steps before its change_step.",
    ({ values }) => changeOf(values)?.before ?? null,
  ),
  overSteps(
    "after_change",
    "The mean of a training metric from its change_step on.",
    ({ values }) => changeOf(values)?.after ?? null,
  ),
  overSteps(
    "jump",
    "By how many standard deviations of these ten steps the five steps from change_step on lie above the five before it; about 3 for a metric that climbs evenly. Missing without a change_step, and if neither five vary.",
    ({ values }) => jumpOf(values),
  ),
  overSteps(
    "level_before",
    "The mean of a training metric over the last five steps before a step, such as the change_step of another metric.",
    ({ steps, values }, [, step]) => meanOf(values.filter((_, i) => isBefore(steps[i], step)).slice(-5)),
    atStep,
  ),
  overSteps(
    "level_from",
    "The mean of a training metric over the first five steps from a step on.",
    ({ steps, values }, [, step]) => meanOf(values.filter((_, i) => !isBefore(steps[i], step)).slice(0, 5)),
    atStep,
  ),
  overSteps(
    "gain_since",
    "By how many standard deviations of its steps a training metric rose from the five steps before a step to late; missing if there are none before it.",
    ({ steps, values }, [, step]) =>
      gainSince(values, steps.filter((_, i) => isBefore(steps[i], step)).length),
    atStep,
  ),
  {
    name: "steps_at_lowest",
    parameters: [metric],
    returns: "int",
    scopes,
    doc: "For how many steps in a row, up to the last, a training metric has had its lowest value of all; 0 if there is no such metric.",
    run: ([a], { version }) => {
      const values = version?.metric(String(a))?.values ?? [];
      return BigInt(values.length === 0 ? 0 : stepsAtLowest(values));
    },
  },
  overSteps(
    "above_lowest",
    "Of the steps before the last one in which a training metric was above its lowest value: the share in which it was above it, too; missing if there are none.",
    ({ values }) => shareAboveLowest(values),
  ),
  overSteps("lowest", "The lowest value of a training metric.", ({ values }) =>
    values.reduce((a, b) => Math.min(a, b)),
  ),
  overSteps("highest", "The highest value of a training metric.", ({ values }) =>
    values.reduce((a, b) => Math.max(a, b)),
  ),
  overSteps(
    "slope",
    "Least-squares slope of a training metric per step; missing if there are fewer than two steps.",
    ({ steps, values }) => slopeOf(steps, values),
  ),
  overSteps(
    "percentile",
    'A percentile of a training metric over the steps, interpolated linearly: percentile("grad_norm", 0.95).',
    ({ values }, args) => percentileOf(values, Number(args[1])),
    { parameters: [metric, { name: "share", type: "double", constant: true }], check: shareProblem },
  ),
];

function slopeOf(steps: readonly number[], values: readonly number[]): number | null {
  if (values.length < 2) return null;
  const [x, y] = [meanOf(steps), meanOf(values)];
  let [above, below] = [0, 0];
  steps.forEach((step, i) => {
    above += (step - x) * ((values[i] ?? 0) - y);
    below += (step - x) ** 2;
  });
  return below === 0 ? null : above / below;
}

function percentileOf(values: readonly number[], share: number): number {
  const sorted = values.toSorted((a, b) => a - b);
  const at = share * (sorted.length - 1);
  const low = sorted[Math.floor(at)] ?? 0;
  const high = sorted[Math.ceil(at)] ?? low;
  return low + (high - low) * (at - Math.floor(at));
}
