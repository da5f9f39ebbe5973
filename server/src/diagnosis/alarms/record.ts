import type { DiagnosticSpec } from "../../../../shared/spec/diagnostic.ts";
import { bestWindow, dropOf, gainOf, meanOf, windowsOf } from "../../statistics/curves.ts";
import { quantileSorted } from "../../statistics/distributions/quantile.ts";
import { wilson } from "../../statistics/intervals/proportions.ts";
import { canFire, scoreOf, type Curves } from "../curves.ts";
import { firingOf } from "../firing.ts";

/** A training run that is over. */
export interface ArchivedRun {
  readonly run: string;
  readonly curves: Curves;
}

/** How a run went, by its score alone, so that no alarm is judged by itself. */
export type Course =
  /** The score ended higher than it began, and kept most of what it had gained. */
  | { readonly type: "healthy" }
  /** The score fell from its best: the first step at which it had half of what it was to gain, and at which it had lost half of the fall. */
  | { readonly type: "collapsed"; readonly risen: number; readonly step: number }
  /** Neither, or too few steps to tell. */
  | { readonly type: "undecided" };

/** Shorter runs are undecided. */
const fewestSteps = 20;
/** A rise or a fall, in standard deviations of single steps. */
const [leastGain, leastDrop] = [0.5, 2];
/** Of what was gained, what a run has to keep. */
const kept = 0.5;
/** Steps over which a score is averaged when its fall is dated. */
const around = 5;

export function courseOf(curves: Curves): Course {
  const score = scoreOf(curves);
  if (score === null || score.values.length < fewestSteps) return { type: "undecided" };
  const { values, steps } = score;
  const { early, late } = windowsOf(values);
  const [start, best, end] = [meanOf(early), meanOf(bestWindow(values)), meanOf(late)];
  // Where the steps of neither window vary, any difference between the windows is real.
  const drop = dropOf(values) ?? Infinity;
  const gain = gainOf(values) ?? (end > start ? Infinity : -Infinity);
  const hasLost = end < start + kept * (best - start);
  if (drop > leastDrop && hasLost) {
    const half = (best + end) / 2;
    const from = firstOf(values, bestWindow(values)) + late.length;
    const at = values.findIndex(
      (_, i) => i >= from && i + around <= values.length && meanOf(values.slice(i, i + around)) < half,
    );
    const up = values.findIndex(
      (_, i) => meanOf(values.slice(i, i + around)) >= start + kept * (best - start),
    );
    return {
      type: "collapsed",
      risen: steps[Math.max(up, 0)] ?? 0,
      step: steps[at === -1 ? values.length - 1 : at] ?? 0,
    };
  }
  return gain >= leastGain && !hasLost ? { type: "healthy" } : { type: "undecided" };
}

/** Where a window of a curve begins. */
const firstOf = (values: readonly number[], window: readonly number[]): number =>
  values.findIndex((_, i) => window.every((v, j) => values[i + j] === v));

/** How an alarm did on the runs of an archive. */
export interface AlarmRecord {
  readonly name: string;
  /** Runs whose score rose, and those among them in which it fired at any step. */
  readonly healthy: number;
  readonly falseAlarms: number;
  /** The 95 % interval of its false-alarm rate. */
  readonly low: number;
  readonly high: number;
  /**
   * Runs whose score fell from its best, and those among them in which it fired before the run had lost half of the fall. A firing
   * before the run had half of its gain would have stopped it too soon, and foretold nothing.
   */
  readonly collapsed: number;
  readonly early: number;
  /** Steps between the alarm and that moment, the median of the runs in `early`; null without any. */
  readonly leadSteps: number | null;
}

/** What watching these runs with the alarms would have been like; of each alarm those runs that log what it looks at. */
export function alarmRecords(alarms: readonly DiagnosticSpec[], runs: readonly ArchivedRun[]): AlarmRecord[] {
  const told = runs.map(({ curves }) => ({ curves, course: courseOf(curves) }));
  return alarms.map((spec) => {
    const fired = told
      .filter(({ curves }) => canFire(spec, curves))
      .map(({ curves, course }) => ({ course, step: firingOf(spec, curves)?.step ?? null }));
    const healthy = fired.filter(({ course }) => course.type === "healthy");
    const falseAlarms = healthy.filter(({ step }) => step !== null).length;
    const leads = fired.flatMap(({ course, step }) =>
      course.type === "collapsed" && step !== null && step >= course.risen && step < course.step
        ? [course.step - step]
        : [],
    );
    return {
      name: spec.name,
      healthy: healthy.length,
      falseAlarms,
      ...wilson({ share: healthy.length === 0 ? 0 : falseAlarms / healthy.length, size: healthy.length }),
      collapsed: fired.filter(({ course }) => course.type === "collapsed").length,
      early: leads.length,
      leadSteps:
        leads.length === 0
          ? null
          : quantileSorted(
              leads.toSorted((a, b) => a - b),
              0.5,
            ),
    };
  });
}

/** Whether an alarm may stop a job: the whole interval of its false-alarm rate lies below the limit of the project. */
export const mayStop = ({ high }: Pick<AlarmRecord, "high">, limit: number): boolean => high < limit;

/** How many healthy runs without a false alarm it takes until an alarm may stop a job. */
export function healthyRunsNeeded(limit: number): number {
  let size = 1;
  while (wilson({ share: 0, size }).high >= limit) size++;
  return size;
}
