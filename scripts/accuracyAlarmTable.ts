import type { DiagnosticSpec } from "../shared/spec/diagnostic.ts";
import type { Table } from "./accuracyTables.ts";
import {
  falseAlarmCells,
  falseAlarmsOf,
  fewestNegatives,
  isShown,
  labelledCell,
  labelledIn,
  mostFalseAlarms,
  type Said,
} from "./accuracyAlarms.ts";

/** Diagnostics that repeat what the engine or a grader recorded; there is nothing in them that could be wrong about a version. */
export const isRecord = (name: string): boolean => name.startsWith("job-") || name === "public-tests-only";

const noteOf = (count: number): string =>
  [
    `${count} versions in 14 sets of real files, each diagnosed as \`evotrainer diagnose\` does without a project. A person read the files and said of each finding whether it is right, information included. A false alarm is one that is not; for a diagnostic that says at most information, it is a piece of information that is not true, which is easier to avoid. The rate is over the versions about which the diagnostic could say something and a reader says nothing of the kind, with its 95 % interval (Wilson): what looks at edits could only be false where something was edited, and what looks at commands only where one was run. Most intervals reach above 10 %, so the files do not show that these alarms are seldom false; they show no case in which one was.`,
    "The last column counts rollouts instead of versions: how many a diagnostic labels, of those of the validation files that do what it waits for. No more of them can be labelled wrongly than are labelled. Where none is, the end of the 95 % interval stands behind it, which takes each rollout as one case of its own; those of one version resemble each other, so the true end is higher.",
    "The sources are split: thresholds may be set on those for tuning, and those for validation only check them. Of training metrics, eleven runs of one project are for validation, and four runs of four others for tuning; the eleven have much in common, so they say less than eleven independent runs would. Thresholds that are older than this split were set with all files in view.",
    `A diagnostic that cannot show at most ${100 * mostFalseAlarms} % false alarms on at least ${fewestNegatives} versions for validation says at most information: it has \`severity: info\`. That includes those with "none" beside them: those that are made for one domain, those that compare a version with its parent, and those that read what no file has. No set of files with a licence that was found has what they read, so nothing is known of how often they are false. Diagnostics whose names begin with \`job-\`, and \`public-tests-only\`, repeat what the engine or the grader recorded, and are left out. \`counted-failure\`, \`dead-group\`, \`insufficient-signal\`, \`length-gaming\`, \`low-reward-spread\` and \`one-reward\` are information for the same reason: in the sets there are no five versions with rollouts of a training. The loop, guardrails and interventions read their counts by name, so the severity changes nothing there. In a project whose trainer gives no gradient for equal rewards, say, they can be alarms: copy the diagnostic into the project under its name, and set \`severity: warning\`.`,
  ].join("\n\n");

/** One row for each shipped diagnostic that may raise an alarm, or could if it were measured. */
export function alarmTable(said: readonly Said[], diagnostics: readonly DiagnosticSpec[]): Table {
  const versions = new Set(said.map(({ version }) => version));
  const rows = diagnostics
    .filter(({ name, over, alert }) => !isRecord(name) && (over === "version" || alert !== undefined))
    .map(({ name, label }) => {
      const [tuning, validation] = (["tuning", "validation"] as const).map((split) =>
        falseAlarmCells(falseAlarmsOf(said, name, split)),
      );
      const rollouts = labelledCell(labelledIn(said, name, "validation"));
      return `| \`${name}\` | ${label.severity === "info" ? "information" : "alarm"} | ${tuning} | ${validation} | ${rollouts} |`;
    });
  return {
    title: "False alarms, by diagnostic",
    note: noteOf(versions.size),
    rows: [
      "| diagnostic | says at most | false alarms, tuning | false alarms, validation | labelled rollouts, validation |",
      "|---|---|---|---|---|",
      ...rows,
    ],
  };
}

/** Those that raise alarms although the files for validation do not show that they are seldom false. */
export const notShown = (said: readonly Said[], diagnostics: readonly DiagnosticSpec[]): string[] =>
  diagnostics
    .filter(({ name, label, over, alert }) => {
      if (isRecord(name) || label.severity === "info" || (over !== "version" && alert === undefined))
        return false;
      return !isShown(falseAlarmsOf(said, name, "validation"));
    })
    .map(({ name }) => name);
