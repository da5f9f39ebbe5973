import { archivedRuns } from "../server/src/diagnosis/alarms/archivedRuns.ts";
import type { ArchivedRun } from "../server/src/diagnosis/alarms/record.ts";
import { metricsOfCondition, scoreOf, type Curves } from "../server/src/diagnosis/curves.ts";
import { firingOf } from "../server/src/diagnosis/firing.ts";
import type { Store } from "../server/src/evidence/archive/store.ts";
import { meanOf } from "../server/src/statistics/curves.ts";
import { counted } from "../shared/words/numbers.ts";
import type { DiagnosticSpec } from "../shared/spec/diagnostic.ts";
import type { Table } from "./accuracyTables.ts";

/** Steps over which a score is averaged. */
const around = 5;

/**
 * The first step from which on the mean of five steps of the score never again lay above the middle between its best and its
 * lowest later mean; "flat" for a score that had one value only, null for one that ended above that middle.
 */
function lossOf(curves: Curves): number | "flat" | null {
  const score = scoreOf(curves);
  if (score === null || score.values.length < 2 * around) return null;
  const means = score.values.slice(around - 1).map((_, i) => meanOf(score.values.slice(i, i + around)));
  if (new Set(score.values).size === 1) return "flat";
  const best = means.indexOf(Math.max(...means));
  const half = ((means[best] ?? 0) + Math.min(...means.slice(best))) / 2;
  const last = means.findLastIndex((mean) => mean > half);
  if (last === means.length - 1) return null;
  return score.steps[last + around] ?? null;
}

const lastStep = (curves: Curves): number =>
  Math.max(...["score", "reward"].flatMap((name) => curves(name)?.steps.at(-1) ?? []));

interface Firing {
  readonly run: string;
  readonly alarm: string;
  readonly severity: string;
  readonly step: number;
  readonly last: number;
  readonly loss: ReturnType<typeof lossOf>;
}

function firingsOf({ run, curves }: ArchivedRun, alarms: readonly DiagnosticSpec[]): Firing[] {
  return alarms
    .flatMap((spec) => {
      const step = firingOf(spec, curves)?.step;
      if (step === undefined) return [];
      const { severity } = spec.label;
      return [{ run, alarm: spec.name, severity, step, last: lastStep(curves), loss: lossOf(curves) }];
    })
    .sort((a, b) => a.step - b.step);
}

/** How early each alarm fires in runs that are over, a row for each that fired at any step. */
export function leadsOf(runs: readonly ArchivedRun[], alarms: readonly DiagnosticSpec[]): Table {
  const fired = runs.map((run) => firingsOf(run, alarms));
  const warned = fired.filter((firings) => firings.some(({ severity }) => severity !== "info"));
  const rows = fired
    .flat()
    .map(
      ({ run, alarm, severity, step, last, loss }) =>
        `| ${run} | \`${alarm}\` | ${severity === "info" ? "information" : severity} | ${step} | ${last - step} of ${last} | ${lossText(loss, step)} |`,
    );
  return {
    title: "How early an alarm on curves fires",
    note: `${counted(runs.length, "training run")}, each tried as it grew by ${counted(alarms.length, "diagnostic")} of curves. In ${warned.length} of them a warning or a critical alarm fired at any step, and in ${runs.length - warned.length} none did; a row is an alarm, the earliest of a run first. The steps left are those that a tripwire would have saved. The score has lost half at the first step from which on its mean over five steps stayed in the lower half between its best and its lowest later mean. So few failed runs are public that this says when these alarms fire, and not how early they usually do.`,
    rows: [
      "| run | alarm | says | fires at step | steps left | score lost half at step |",
      "|---|---|---|---|---|---|",
      ...rows,
    ],
  };
}

function lossText(loss: Firing["loss"], fired: number): string {
  if (loss === null) return "never";
  if (loss === "flat") return "it had one value from the first step";
  const lead = loss - fired;
  return `${loss}, ${lead === 0 ? "the same step" : `${counted(Math.abs(lead), "step")} ${lead > 0 ? "later" : "before"}`}`;
}

/** The same for the training runs of an archive. */
export async function leadTable(store: Store, diagnostics: readonly DiagnosticSpec[]): Promise<Table> {
  const alarms = diagnostics.filter((spec) => spec.over === "version" && metricsOfCondition(spec).length > 0);
  return leadsOf(await archivedRuns(store, alarms), alarms);
}
