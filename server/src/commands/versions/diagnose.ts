import { showProgress } from "../terminal/progressLine.ts";
import { inLine } from "../../base/plainText.ts";
import { foldedLabels, withAlso } from "../../../../shared/model/foldedLabels.ts";
import { labelShare } from "../../../../shared/model/labelShare.ts";
import { peopleLines } from "../../../../shared/words/people.ts";
import { groupsText, shareText } from "../../../../shared/model/shareText.ts";
import {
  counted,
  figure,
  percent,
  percentWithin,
  value as valueText,
} from "../../../../shared/words/numbers.ts";
import type { ResultOf } from "../../engine/services/services.ts";
import { evidenceVersion, inspect, versionsToChoose } from "../terminal/inspect.ts";
import { givenFiles, withOption, type WithFiles } from "../terminal/given.ts";
import { goOn } from "../terminal/goOn.ts";
import { interruptible } from "../terminal/interruptible.ts";
import { exitCodes, paint, printResult, type Io } from "../terminal/io.ts";
import { diagnoseAll } from "./diagnoseAll.ts";
import { notTried, tooShort } from "./notTried.ts";
import { judgedLines } from "./renderJudged.ts";
import { table, tableRows } from "../terminal/table.ts";
import { splitOption } from "../terminal/options.ts";
import type { AddVerb, Given } from "../terminal/verb.ts";

export const addDiagnose: AddVerb = (program, { io, cwd, exitWith }) => {
  program
    .command("diagnose [version]")
    .description(
      "say what is wrong with a version: its scores, signals, behaviours and labels, and the alerts and rules that follow",
    )
    .addOption(splitOption())
    .addOption(withOption())
    .action(async (version: string | undefined, o: Given<{ split?: "train" | "selection" } & WithFiles>) =>
      exitWith(await diagnose(io(), cwd, { ...(version === undefined ? {} : { version }), ...o })),
    );
};

/**
 * `evotrainer diagnose [version]`: scores, signals, behaviours, labels, alerts, rules; of several imported versions a line each,
 * where none is named. Answers with the exit code.
 */
export async function diagnose(
  io: Io,
  cwd: string,
  options: { version?: string; split?: "train" | "selection" } & WithFiles,
): Promise<number> {
  return inspect(cwd, async (inspection) => {
    const files = await givenFiles(io, { cwd, root: inspection.root }, options.with);
    const { split } = options;
    const several = options.version === undefined ? await versionsToChoose(inspection) : [];
    if (several.length > 0)
      return diagnoseAll(io, inspection, several, { with: files, ...(split === undefined ? {} : { split }) });
    const version = await evidenceVersion(inspection, options.version);
    // A program that was started would go on without us.
    const report = await interruptible(goOn.diagnose, (signal) =>
      inspection.engine.request(
        "versions.diagnose",
        { version, trusted: true, with: files, ...(split === undefined ? {} : { split }) },
        {
          signal,
          progress: ({ message, done, total }) =>
            showProgress(io, `${message} ${String(done)} of ${String(total)}`),
        },
      ),
    ).finally(() => showProgress(io, ""));
    // After the diagnosis, which sets the labels that people's answers are held against.
    const { people } = await inspection.engine.request("rollouts.people", { with: files });
    printResult(io, { ...report, people }, (report) => render(io, report, report.split));
    for (const p of report.problems) io.err(`Left out: ${inLine(p)}\n`);
    return report.findings.some((f) => f.severity !== "info") ? exitCodes.finding : exitCodes.success;
  });
}

type Diagnosis = ResultOf<"versions.diagnose"> & ResultOf<"rollouts.people">;

/** Why a label above its threshold gives no alert. */
const whyNoAlert = ({ refutedBy, tooFew, over = "rollout" }: Diagnosis["labels"][number]): string =>
  refutedBy === undefined
    ? tooFew === true
      ? `no alert: too few ${over}s to tell`
      : ""
    : `no alert: ${refutedBy.labelled} of ${counted(refutedBy.passes, "pass", "passes")} carry it too`;

/** The labels that something carries, or that people answered about; the others are counted. */
function labelLines(
  io: Io,
  heading: (text: string) => string,
  { labels, findings, people }: Pick<Diagnosis, "labels" | "findings" | "people">,
): string[] {
  const severities = new Map(findings.map(({ name, severity }) => [name, severity]));
  const byPeople = new Map(people.map((one) => [one.label, peopleLines(one)]));
  const found = labels.filter((l) => l.labelled > 0 || byPeople.has(l.name));
  const open = labels.filter(
    (l) => !found.includes(l) && l.rollouts > 0 && labelShare(l).rate === null,
  ).length;
  const rows = foldedLabels(found);
  const clear = labels.length - found.length - open;
  if (labels.length === 0) return [];
  const nothing = labels.every((l) => l.rollouts === 0);
  return [
    "",
    heading("Labels"),
    ...(found.length === 0
      ? []
      : tableRows(
          rows.map(({ label: l, said }) => [
            `  ${withAlso(l.name, said)}`,
            `${l.labelled}${l.over === "group" ? ` of ${groupsText(l)}` : ""}`,
            shareText(labelShare(l)),
            [
              severities.get(l.name) ?? whyNoAlert(l),
              l.invalidates ? "invalidates" : "",
              l.onTrial === true ? "on trial" : "",
            ]
              .filter(Boolean)
              .join(", "),
          ]),
          [1, 2],
          io,
        ).flatMap((line, i) => [
          line,
          ...(byPeople.get(rows[i]?.label.name ?? "") ?? []).map((said) => `    ${said}`),
          ...(rows[i]?.also ?? []).flatMap((name) =>
            (byPeople.get(name) ?? []).map((said) => `    ${name}: ${said}`),
          ),
        ])),
    ...(clear === 0 || nothing
      ? []
      : [
          `  ${counted(clear, found.length === 0 ? "diagnostic catches" : "other diagnostic catches", found.length === 0 ? "diagnostics catch" : "other diagnostics catch")} nothing`,
        ]),
    ...(nothing ? [`  ${counted(labels.length, "diagnostic")} had nothing to look at`] : []),
    ...(open === 0
      ? []
      : [`  ${counted(open, "diagnostic")} cannot tell: the evidence does not say what they ask`]),
  ];
}

/** One line for each, with the names of those that say the same. */
function findingLines(findings: Diagnosis["findings"]): string[] {
  return findings
    .filter(({ under }) => under === undefined)
    .map(({ name, severity, message }) => {
      const also = findings.filter(({ under }) => under === name).map((f) => f.name);
      return `  ${severity}: ${name}: ${message}${also.length === 0 ? "" : ` The same is found by ${also.join(", ")}.`}`;
    });
}

/** A score that came without rollouts. */
const reportedLine = ({ score, n, items, set }: Diagnosis["reported"][number]): string =>
  `reported${set === null ? "" : ` on ${inLine(set)}`}: solve rate ${percent(score)} of ${counted(n, "rollout")}${items === null ? "" : ` of ${counted(items, "item")}`}, without the rollouts; \`evotrainer compare\` says how far it can be compared`;

function render(io: Io, d: Diagnosis, split: string): string {
  const { score, cleanScore, signals } = d;
  const heading = (text: string): string => paint(io, "bold", text);
  const lines = [heading(`${d.version}, ${split} split`)];
  lines.push(...d.reported.map(reportedLine));
  if (score === null)
    lines.push(
      d.stopReasons.length === 0
        ? "This split has no rollouts."
        : "No rollout of this split has a known outcome; import it with --pass-when to say what counts as solved.",
    );
  else {
    lines.push(
      `solve rate ${percentWithin(score.value, score.low, score.high)}, ${counted(score.items, "item")}, ${counted(score.rollouts, "rollout")}`,
    );
    if (score.unknown > 0)
      lines.push(
        `${counted(score.unknown, "outcome is", "outcomes are")} unknown: between ${percent(score.bounds[0])} and ${percent(score.bounds[1])}`,
      );
    if (cleanScore !== null && cleanScore.value !== score.value)
      lines.push(`${percent(cleanScore.value)} when rollouts with an invalidating label count as failures`);
  }
  const shown = Object.entries(signals).flatMap(([name, value]) =>
    value === null ? [] : [[`  ${name}`, valueText(value)]],
  );
  if (shown.length > 0) lines.push("", heading("Signals"), table(shown, [1], io));
  lines.push(...labelLines(io, heading, d), ...judgedLines(heading, d));
  if (d.training.all.length + d.training.key.length > 0)
    lines.push(
      "",
      heading(
        d.training.all.length === 0
          ? "Training curves, computed from the rollouts"
          : `Training metrics (${d.training.all.length}, all with --json)`,
      ),
      d.training.key.length === 0
        ? "  none has a known name"
        : table(
            [
              ["  metric", "steps", "first", "last", "min", "max"],
              ...d.training.key.map((m) => [
                `  ${m.name}`,
                `${m.steps}`,
                ...[m.first, m.last, m.min, m.max].map((v) => (v === null ? "–" : figure(v))),
              ]),
            ],
            [1, 2, 3, 4, 5],
            io,
          ),
    );
  const all = d.stopReasons.reduce((n, s) => n + s.rollouts, 0);
  if (all > 0)
    lines.push(
      "",
      heading("Stop reasons"),
      table(
        d.stopReasons.map((s) => [
          `  ${s.reason ?? "not recorded"}`,
          `${s.rollouts}`,
          percent(s.rollouts / all),
        ]),
        [1, 2],
        io,
      ),
    );
  lines.push(
    "",
    heading("Findings"),
    ...(d.findings.length === 0 ? ["  none"] : findingLines(d.findings)),
    ...notTried(d.training),
    ...tooShort(d.training),
  );
  return lines.join("\n");
}
