import { archivedRuns } from "../../diagnosis/alarms/archivedRuns.ts";
import { curveAlarms } from "../../diagnosis/curves.ts";
import { alarmRecords, healthyRunsNeeded, mayStop } from "../../diagnosis/alarms/record.ts";
import { projectOrBare } from "../project/bareProject.ts";
import { defineService } from "../workspace/service.ts";

/** How the alarms on training curves did on the archived runs, and which of them may stop a job. */
export const versionsTripwires = defineService("versions.tripwires", {
  repeatable: true,
  async run({ store, root }) {
    const { diagnostics, tripwires, domain, metricNames } = await projectOrBare(root);
    const alarms = curveAlarms(
      diagnostics.map(({ spec }) => spec).filter(({ domains }) => domains?.includes(domain) ?? true),
    );
    const runs = await archivedRuns(store, alarms, metricNames);
    const known = new Set(alarms.map(({ name }) => name));
    return {
      alarms: alarmRecords(alarms, runs).map((record) => ({
        ...record,
        isWanted: tripwires.stop.includes(record.name),
        mayStop: mayStop(record, tripwires.falseAlarms),
      })),
      runs: runs.length,
      limit: tripwires.falseAlarms,
      healthyNeeded: healthyRunsNeeded(tripwires.falseAlarms),
      unknown: tripwires.stop.filter((name) => !known.has(name)),
    };
  },
});
