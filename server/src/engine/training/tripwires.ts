import type { MetricNames } from "../../../../shared/spec/metricNames.ts";
import type { DiagnosticSpec } from "../../../../shared/spec/diagnostic.ts";
import type { ProjectSpec } from "../../../../shared/spec/project.ts";
import { percentInterval, percentOf, setPercent } from "../../../../shared/words/numbers.ts";
import { messageOf } from "../../base/errors.ts";
import { compileVersion } from "../../diagnosis/compileVersion.ts";
import { archivedRuns } from "../../diagnosis/alarms/archivedRuns.ts";
import { curveAlarms, factsOf } from "../../diagnosis/curves.ts";
import { alarmRecords, mayStop, type AlarmRecord } from "../../diagnosis/alarms/record.ts";
import { findingOf } from "../../diagnosis/versionRules.ts";
import type { Store } from "../../evidence/archive/store.ts";
import { LiveCurves } from "../jobs/liveCurves.ts";

/** An alarm that may stop a job, and the record that allows it. */
export interface Tripwire {
  readonly spec: DiagnosticSpec;
  readonly record: AlarmRecord;
}

export interface ArmedTripwires {
  readonly armed: readonly Tripwire[];
  /** Why others that the project names stop nothing, in sentences. */
  readonly notes: readonly string[];
}

/** What arming needs of a project. */
interface ArmingProject {
  readonly spec: Pick<ProjectSpec, "tripwires" | "metricNames">;
  readonly diagnostics: readonly { readonly spec: DiagnosticSpec }[];
}

/** Which of the alarms that the project names may stop a job: those that the archived runs show to be seldom false. */
export async function armTripwires(
  store: Store,
  { spec, diagnostics }: ArmingProject,
): Promise<ArmedTripwires> {
  const { stop, falseAlarms: limit } = spec.tripwires;
  if (stop.length === 0) return { armed: [], notes: [] };
  const alarms = curveAlarms(diagnostics.map((d) => d.spec)).filter(({ name }) => stop.includes(name));
  const records = alarmRecords(alarms, await archivedRuns(store, alarms, spec.metricNames));
  const tripwires = alarms.flatMap((alarm) => {
    const record = records.find(({ name }) => name === alarm.name);
    return record === undefined ? [] : [{ spec: alarm, record }];
  });
  return {
    armed: tripwires.filter(({ record }) => mayStop(record, limit)),
    notes: [
      ...tripwires
        .filter(({ record }) => !mayStop(record, limit))
        .map(
          ({ record }) =>
            `The tripwire ${record.name} stops no job yet: ${recordText(record)}, and the limit is ${setPercent(limit)}.`,
        ),
      ...stop
        .filter((name) => alarms.every((alarm) => alarm.name !== name))
        .map((name) => `The tripwire ${name} stops no job: it is not a diagnostic over training metrics.`),
    ],
  };
}

/** What is known of how often an alarm is false, as a clause. */
function recordText({ healthy, falseAlarms, low, high }: AlarmRecord): string {
  if (healthy === 0) return "no healthy run in the archive logs what it looks at";
  return `it was false on ${falseAlarms} of ${healthy} healthy archived runs (${percentOf(falseAlarms, healthy)} ${percentInterval(low, high)})`;
}

/** Who is told what a watch found, and what the project calls the metrics. */
interface Told {
  readonly stop: () => void;
  readonly failed: (sentence: string) => void;
  readonly metricNames?: MetricNames;
}

/** Watches the metrics of one running job, and says once why it is to be stopped. */
export class TripwireWatch {
  readonly #armed: readonly Tripwire[];
  readonly #curves: LiveCurves;
  readonly #told: Told;
  #looking: Promise<void> | undefined;
  #reason: string | undefined;

  constructor(armed: readonly Tripwire[], runDirectory: string, told: Told) {
    this.#armed = armed;
    this.#curves = new LiveCurves(runDirectory, told.metricNames);
    this.#told = told;
  }

  /** Why the job was stopped; undefined while it was not. */
  get reason(): string | undefined {
    return this.#reason;
  }

  /** Looks at what the job wrote since the last look; a look that is still going on is enough. Never rejects. */
  async look(): Promise<void> {
    if (this.#armed.length === 0 || this.#reason !== undefined) return;
    this.#looking ??= this.#lookOnce()
      .catch((e: unknown) => {
        this.#told.failed(`The tripwires cannot read the metrics of a job: ${messageOf(e)}`);
      })
      .finally(() => {
        this.#looking = undefined;
      });
    await this.#looking;
  }

  async #lookOnce(): Promise<void> {
    const facts = factsOf(await this.#curves.look());
    for (const { spec, record } of this.#armed) {
      if (compileVersion(spec, "when").test(facts) !== true) continue;
      const lead =
        record.leadSteps === null
          ? ""
          : `, and it fired ${record.leadSteps} steps before the collapses that it predicted`;
      this.#reason = `The tripwire ${spec.name} stopped it: ${findingOf(spec, facts)?.message ?? ""} By its record ${recordText(record)}${lead}.`;
      this.#told.stop();
      return;
    }
  }
}
