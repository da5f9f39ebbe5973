import type { DiagnosticSpec } from "../../../shared/spec/diagnostic.ts";
import { figure } from "../../../shared/words/numbers.ts";
import { meanOf, windowsOf } from "../statistics/curves.ts";
import { compileVersion } from "./compileVersion.ts";
import { factsOf, metricsOfCondition, scoreOf, until, type Curves } from "./curves.ts";

/** When an alarm on curves fired first, for somebody who had watched the run, and what the score did from there on. */
export interface Firing {
  readonly step: number;
  readonly score: ScoreAfter | null;
}

/** The score around a firing: the mean of the steps until then, and of the last steps of the run. */
export interface ScoreAfter {
  readonly metric: string;
  readonly then: number;
  /** Null where the run has fewer than five later steps. */
  readonly end: number | null;
}

/** How many steps of a long run are looked at; between the last quiet one and the first that fires, all are. */
const mostLooks = 256;
/** Steps over which a score is averaged around a firing. */
const around = 5;

/** The first step at which the condition of an alarm held of the curves so far; undefined where it never did. */
export function firingOf(spec: DiagnosticSpec, curves: Curves): Firing | undefined {
  const { steps, holds, stride } = watch(spec, curves);
  let quiet = -1;
  for (
    let i = Math.min(stride, steps.length) - 1;
    i >= 0 && i < steps.length;
    i = nextLook(i, stride, steps.length)
  ) {
    if (!holds(i)) {
      quiet = i;
      continue;
    }
    for (let j = quiet + 1; j <= i; j++) {
      const step = steps[j];
      if (step !== undefined && (j === i || holds(j))) return { step, score: scoreAfter(curves, step) };
    }
  }
  return undefined;
}

/** The step from which on the condition of an alarm held until the end of the run; undefined where it does not hold there. */
export function heldSince(spec: DiagnosticSpec, curves: Curves): number | undefined {
  const { steps, holds, stride } = watch(spec, curves);
  const last = steps.length - 1;
  if (last < 0 || !holds(last)) return undefined;
  let since = last;
  while (since - stride >= 0 && holds(since - stride)) since -= stride;
  while (since > 0 && holds(since - 1)) since--;
  return steps[since];
}

/** The run as somebody sees it who watches it: the steps, whether the condition held of the curves until one, and how often to look. */
function watch(
  spec: DiagnosticSpec,
  curves: Curves,
): { steps: number[]; holds: (i: number) => boolean; stride: number } {
  const steps = stepsOf(spec, curves);
  const condition = compileVersion(spec, "when");
  const holds = (i: number): boolean => {
    const step = steps[i];
    return step !== undefined && condition.test(factsOf(until(curves, step))) === true;
  };
  return { steps, holds, stride: Math.max(1, Math.ceil(steps.length / mostLooks)) };
}

/** The next step that is looked at; the last one always is. */
const nextLook = (i: number, stride: number, count: number): number =>
  i === count - 1 ? count : Math.min(i + stride, count - 1);

/** All steps at which one of the metrics of the condition has a value, or has lost it, in ascending order. */
function stepsOf(spec: DiagnosticSpec, curves: Curves): number[] {
  const steps = new Set(
    metricsOfCondition(spec).flatMap((name) => {
      const found = curves(name);
      return found === null
        ? []
        : [...found.steps, ...(found.lostFrom === undefined ? [] : [found.lostFrom])];
    }),
  );
  return [...steps].sort((a, b) => a - b);
}

function scoreAfter(curves: Curves, step: number): ScoreAfter | null {
  const score = scoreOf(curves);
  if (score === null) return null;
  const soFar = score.values.filter((_, i) => (score.steps[i] ?? 0) <= step);
  const later = score.values.slice(soFar.length);
  if (soFar.length === 0) return null;
  return {
    metric: score.name,
    then: meanOf(soFar.slice(-around)),
    end: later.length < around ? null : meanOf(windowsOf(score.values).late.slice(-later.length)),
  };
}

/** The firing as the sentence that stands behind what the alarm says; `since` is when it began to hold until the end. */
export function firingText({ step, score }: Firing, since = step): string {
  const fired = `It fired first at step ${step}`;
  const again = since > step ? ` It was quiet again after that, and holds since step ${since}.` : "";
  if (score === null) return `${fired}.${again}`;
  const { metric, then, end } = score;
  return end === null
    ? `${fired}, with ${metric} at ${figure(then)}; there are not yet five later steps.${again}`
    : `${fired}, with ${metric} at ${figure(then)}, the mean of five steps; over the last steps its mean is ${figure(end)}.${again}`;
}
