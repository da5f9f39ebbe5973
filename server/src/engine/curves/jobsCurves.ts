import { join } from "node:path";
import type { JobRow } from "../../../../shared/protocol/views/job.ts";
import {
  mostRuns,
  runMetrics,
  type RunCurves,
  type RunMetric,
} from "../../../../shared/protocol/views/runs.ts";
import type { DiagnosticSpec } from "../../../../shared/spec/diagnostic.ts";
import type { MetricNames } from "../../../../shared/spec/metricNames.ts";
import { canFire, curveAlarms, factsOf, metricsOfCondition, type Curves } from "../../diagnosis/curves.ts";
import { firingOf } from "../../diagnosis/firing.ts";
import { findingOf } from "../../diagnosis/versionRules.ts";
import { projectOrBare } from "../project/bareProject.ts";
import { LiveCurves } from "../jobs/liveCurves.ts";
import { definePlainService } from "../workspace/service.ts";
import { allJobs, executorOf } from "../jobs/jobList.ts";
import { runPlaces } from "./runPlaces.ts";

/** Where nothing runs, so many of the newest jobs are shown. */
const mostNewest = 3;
/** More than anybody chooses from. */
const mostOthers = 100;
/** Runs whose files are read on from where the last look stopped. */
const mostKept = 40;
/** Alarms are read anew after this long, in milliseconds: a page that follows a run asks every other second. */
const alarmsHold = 15_000;

interface Alarms {
  readonly specs: readonly DiagnosticSpec[];
  readonly own: MetricNames | undefined;
}
interface KeptRun {
  readonly live: LiveCurves;
  /** How many values it had when its alarms were asked. */
  values: number;
  alarms: RunCurves["alarms"];
}

/**
 * What is drawn where a run has none of the known names: what the trainers of our own examples log. Alarms do not look at
 * these, because the rollouts say the same and more.
 */
const drawnInstead: Partial<Record<RunMetric, string>> = {
  score: "solve_rate",
  flat_groups: "dead_group_ratio",
  response_length: "turns_mean",
};

const kept = new Map<string, KeptRun>();
const alarmsOf = new Map<string, { readonly until: number; readonly alarms: Alarms }>();

type Because = RunCurves["because"];

/** The curves of the training jobs that run and of their parents', and of those that are asked for. It opens no archive. */
export const jobsCurves = definePlainService("jobs.curves", {
  repeatable: true,
  async run({ root }, { jobs: asked, points }) {
    const trained = (await allJobs(root)).filter(({ work }) => work === "train");
    const places = await runPlaces(root);
    const chosen = chosenOf(trained, asked, (version) => places(version).parent);
    const alarms = await alarmsIn(root);
    const runs: RunCurves[] = [];
    for (const [job, because] of chosen)
      runs.push({ ...(await curvesOfJob(root, job, { because, alarms, points })), ...places(job.version) });
    return {
      runs,
      others: trained
        .filter((job) => !chosen.has(job) && job.step !== null)
        .slice(0, mostOthers)
        .map(({ id, version, seed }) => ({ id, version, seed })),
    };
  },
});

/** Which jobs are shown and why, those that run first. */
function chosenOf(
  trained: readonly JobRow[],
  asked: readonly string[],
  parentOf: (version: string) => string | null | undefined,
): ReadonlyMap<JobRow, Because> {
  const chosen = new Map<JobRow, Because>();
  const add = (jobs: readonly JobRow[], because: Because): void => {
    for (const job of jobs) if (chosen.size < mostRuns && !chosen.has(job)) chosen.set(job, because);
  };
  const running = trained.filter(({ state }) => state === "running" || state === "checking");
  add(running, "running");
  add(
    trained.filter(({ id }) => asked.includes(id)),
    "asked",
  );
  for (const { version, seed } of running)
    add(
      trained.filter((job) => job.version === parentOf(version) && job.seed === seed).slice(0, 1),
      "parent",
    );
  if (chosen.size === 0) add(trained.filter(({ step }) => step !== null).slice(0, mostNewest), "newest");
  return chosen;
}

async function alarmsIn(root: string): Promise<Alarms> {
  const known = alarmsOf.get(root);
  if (known !== undefined && known.until > Date.now()) return known.alarms;
  // A run can be watched while a diagnostic is being written.
  const alarms = await projectOrBare(root).then(
    ({ diagnostics, domain, metricNames }) => ({
      specs: curveAlarms(
        diagnostics.map(({ spec }) => spec).filter(({ domains }) => domains?.includes(domain) ?? true),
      ),
      own: metricNames,
    }),
    () => ({ specs: [], own: undefined }),
  );
  alarmsOf.set(root, { until: Date.now() + alarmsHold, alarms });
  return alarms;
}

async function curvesOfJob(
  root: string,
  job: JobRow,
  {
    because,
    alarms,
    points,
  }: { readonly because: Because; readonly alarms: Alarms; readonly points: number },
): Promise<RunCurves> {
  const directory = executorOf(root).directoryOf(job.id);
  const run = keptRun(directory, alarms.own);
  const curves = await run.live.look();
  const series = runMetrics.flatMap((metric) => {
    const instead = drawnInstead[metric];
    const found = curves(metric) ?? (instead === undefined ? null : curves(instead));
    if (found === null || found.values.length === 0) return [];
    const places = thinnedPlaces(found.steps.length, points);
    const at = (values: readonly number[]): number[] => places.map((place) => values[place] ?? 0);
    return [{ metric, name: found.name, steps: at(found.steps), values: at(found.values) }];
  });
  // A metric that is lost says so at a step at which nothing else may have a number either.
  const values = runMetrics.reduce((sum, metric) => {
    const found = curves(metric);
    return sum + (found?.values.length ?? 0) + (found?.lostFrom ?? 0);
  }, 0);
  if (run.values !== values) [run.values, run.alarms] = [values, firedOn(curves, alarms.specs)];
  return { job, because, series, alarms: run.alarms };
}

function keptRun(directory: string, own: MetricNames | undefined): KeptRun {
  const key = join(directory, JSON.stringify(own ?? {}));
  const found = kept.get(key) ?? { live: new LiveCurves(directory, own), values: -1, alarms: [] };
  kept.delete(key);
  kept.set(key, found);
  const [oldest] = kept.keys();
  if (kept.size > mostKept && oldest !== undefined) kept.delete(oldest);
  return found;
}

function firedOn(curves: Curves, specs: readonly DiagnosticSpec[]): RunCurves["alarms"] {
  return specs.flatMap((spec) => {
    const step = canFire(spec, curves) ? firingOf(spec, curves)?.step : undefined;
    if (step === undefined) return [];
    const message = findingOf(spec, factsOf(curves))?.message ?? spec.description ?? `${spec.name} held.`;
    return [{ name: spec.name, step, metrics: [...metricsOfCondition(spec)], message }];
  });
}

/** At most so many places, evenly chosen, the last one always among them. */
function thinnedPlaces(count: number, most: number): number[] {
  if (count <= most) return Array.from({ length: count }, (_, i) => i);
  return Array.from({ length: most }, (_, i) => Math.round((i * (count - 1)) / (most - 1)));
}
