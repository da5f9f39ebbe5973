import { bestWindow, meanOf, windowsOf } from "../statistics/curves.ts";
import { dropInErrors, fallOf, lateLow, riseBounds, sharpFall } from "../statistics/curveErrors.ts";
import type { FunctionDefinition } from "./functionDefinition.ts";
import type { MetricFacts } from "./facts.ts";
import { metric, overSteps, scopes } from "./functionsVersion.ts";

const stepOf = (
  name: string,
  doc: string,
  step: (found: MetricFacts) => number | undefined,
): FunctionDefinition => ({
  name,
  parameters: [metric],
  returns: "int",
  scopes,
  doc,
  run: ([a], { version }) => {
    const found = version?.metric(String(a)) ?? null;
    const at = found === null ? undefined : step(found);
    return at === undefined ? null : BigInt(at);
  },
});

/** The largest size that the mean of a window has: what a change is a share of. */
const levelOf = (values: readonly number[]): number => {
  const { early, late } = windowsOf(values);
  return Math.max(...[early, late, bestWindow(values)].map((window) => Math.abs(meanOf(window))));
};

/** Functions over training metrics that say how sure and how large a change is, and between which steps it took place. */
export const curveFunctions: readonly FunctionDefinition[] = [
  overSteps(
    "rise_low",
    "The lower 95 % bound of how much a training metric rose from early to late; above 0 it rose for certain. The error is that of the means of both windows; missing if there are fewer than ten steps.",
    ({ values, errors }) => riseBounds(values, errors)?.[0] ?? null,
  ),
  overSteps(
    "rise_high",
    "The upper 95 % bound of how much a training metric rose from early to late; below 0 it fell for certain.",
    ({ values, errors }) => riseBounds(values, errors)?.[1] ?? null,
  ),
  overSteps(
    "drop_errors",
    "By how many standard errors of their difference the late mean of a training metric lies below its best; missing if there are fewer than ten steps. In a metric that varies around one level, it stays below 4.5 in 99 of 100 runs.",
    ({ values, errors }) => dropInErrors(values, errors),
  ),
  overSteps(
    "sharp_fall",
    "By how much the last steps of a training metric lie below the twenty before them, if each of the last, five or more, lies below all of those; otherwise 0. Missing if there are fewer than 25 steps.",
    ({ values, errors }) => sharpFall(values, errors),
  ),
  overSteps(
    "late_low",
    "The late mean of a training metric; if it was computed from rollouts, the lower 99 % bound of it, by how many these are.",
    ({ values, errors }) => lateLow(values, errors),
  ),
  overSteps(
    "level",
    "The largest of the early, the late and the best mean of a training metric, without their signs: what a change is a share of.",
    ({ values }) => levelOf(values),
  ),
  stepOf(
    "fall_step",
    "The first step of the lower level of a training metric that fell all at once: at least half of the fall from early to late lies between it and the step before. Missing if it came down over many steps.",
    ({ steps, values }) => steps[fallOf(values)?.at ?? -1],
  ),
  stepOf(
    "fall_from",
    "The last step until which a training metric had lost no more than a tenth of its fall from early to late; missing if it did not fall.",
    ({ steps, values }) => steps[fallOf(values)?.from ?? -1],
  ),
  stepOf(
    "fall_to",
    "The first step at which a training metric had lost nine tenths of its fall from early to late; missing if it did not fall.",
    ({ steps, values }) => steps[fallOf(values)?.to ?? -1],
  ),
  stepOf(
    "lost_from",
    "The step from which on a training metric is NaN, infinite or missing until the end of the run; missing if its last step has a number.",
    ({ lostFrom }) => lostFrom,
  ),
  {
    name: "gaps",
    parameters: [metric],
    returns: "int",
    scopes,
    doc: "How many times a training metric was NaN, infinite or missing, for one step or several in a row, and had a number again afterwards. 0 if there is no such metric, and if it has fewer than five numbers for each of them, because then it is logged now and then.",
    run: ([a], { version }) => {
      const found = version?.metric(String(a)) ?? null;
      const stretches = found === null ? 0 : gapsOf(found).length;
      return BigInt(found !== null && stretches * 5 <= found.values.length ? stretches : 0);
    },
  },
  stepOf(
    "gap_from",
    "The first step at which a training metric was NaN, infinite or missing before it had a number again; missing if there is none.",
    (found) => gapsOf(found)[0]?.[0],
  ),
  stepOf(
    "gap_to",
    "The last step at which a training metric was NaN, infinite or missing before it had a number again; missing if there is none.",
    (found) => gapsOf(found).at(-1)?.[1],
  ),
];

/** The first and the last step of each stretch without a number. */
function gapsOf({ steps, gaps = [] }: MetricFacts): [number, number][] {
  const found: [number, number][] = [];
  let told = 0;
  let before = -1;
  for (const gap of gaps) {
    while (told < steps.length && (steps[told] ?? 0) < gap) told++;
    const open = found.at(-1);
    if (open !== undefined && told === before) open[1] = gap;
    else found.push([gap, gap]);
    before = told;
  }
  return found;
}
