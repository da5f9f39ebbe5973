import { shownShare } from "../../../../shared/model/labelShare.ts";
import { shortShareText } from "../../../../shared/model/shareText.ts";
import { figure as figureText } from "../../../../shared/words/numbers.ts";
import type { Separation } from "../../backtest/admission.ts";
import type { LetThrough } from "../../backtest/quarantine.ts";
import type { ResultOf } from "../../engine/services/services.ts";
import { paint, type Io } from "../terminal/io.ts";
import { table, wrap } from "../terminal/table.ts";

type Report = Omit<ResultOf<"backtest.diagnostic">, "letThrough"> & {
  readonly letThrough: readonly LetThrough[];
};

/** What a revision of a diagnostic would change, whether it separates, and what it would let through. */
export function renderDiagnosticBacktest(io: Io, report: Report): string {
  const heading = (text: string): string => paint(io, "bold", text);
  return [
    heading(`${report.diagnostic}, revision ${report.revision}`),
    comparedWith(report),
    ...(report.versions.length === 0 ? [] : ["", versionTable(io, report)]),
    ...changes(io, report),
    ...(report.examples.length === 0 ? [] : ["", heading("Examples of the spec"), ...examples(io, report)]),
    ...(report.admission === null ? [] : ["", heading("Admission"), ...admission(io, report)]),
    ...(report.advantages.length === 0
      ? []
      : [
          "",
          heading("Advantages without the labelled rollouts"),
          ...report.advantages.map((n) => wrap(n, io.columns)),
        ]),
    ...(report.letThrough.length === 0 ? [] : ["", ...renderLetThrough(io, report.letThrough)]),
    ...(report.notes.length === 0 ? [] : ["", ...report.notes.map((n) => wrap(n, io.columns))]),
  ].join("\n");
}

function comparedWith({ before, beforeFrom, revision }: Report): string {
  if (before === null) return "It is new, so there is nothing to compare it with.";
  if (before === revision)
    return beforeFrom === "committed"
      ? "It labels like the committed revision: nothing would change."
      : "It labels like the revision in force, and there is no other revision to compare it with.";
  const of = {
    committed: "of the last commit",
    work_tree: "of the work tree",
    stored: "whose labels are stored",
    nothing: "",
  }[beforeFrom];
  return `Compared with revision ${before} ${of}. Stored labels stay as they are.`;
}

const share = (counts: Report["versions"][number]["after"], rollouts: number): string =>
  shortShareText(shownShare({ ...counts, rollouts }));

function versionTable(io: Io, { versions }: Report): string {
  return table(
    [
      ["version", "decision", "split", "rollouts", "before", "after", "newly", "no longer"],
      ...versions.map((v) => [
        v.version,
        v.decision ?? "–",
        v.split,
        `${v.rollouts}`,
        v.before === null ? "–" : share(v.before, v.rollouts),
        share(v.after, v.rollouts),
        `${v.newly.count}`,
        `${v.noLonger.count}`,
      ]),
    ],
    [3, 4, 5, 6, 7],
    io,
  );
}

const shownChanges = 6;

function changes(io: Io, { versions }: Report): string[] {
  const lines = versions.flatMap((v) =>
    (
      [
        ["newly", v.newly],
        ["no longer", v.noLonger],
      ] as const
    )
      .filter(([, { count }]) => count > 0)
      .map(([word, { examples: names }]) =>
        wrap(`  ${v.version}, ${word}: ${names.slice(0, 3).join(", ")}`, io.columns, "    "),
      ),
  );
  const more = lines.length - shownChanges;
  return lines.length === 0
    ? []
    : ["", ...lines.slice(0, shownChanges), ...(more > 0 ? [`  … ${more} more with --json`] : [])];
}

function examples(io: Io, report: Report): string[] {
  return report.examples.map(({ rollout, expect, found, right }) => {
    const name = rollout;
    if (right === true) return `  ✓ ${name} is ${found}`;
    if (found === "not_archived") return `  ? ${name} is not in the archive`;
    if (right === null) return `  ? ${name} has no value, ${expect} is expected`;
    return paint(io, "red", `  × ${name} is ${found}, ${expect} is expected`);
  });
}

const shownMetrics = 6;

function admission(io: Io, report: Report): string[] {
  const sides = report.question === "kept_against_rejected" ? ["kept", "rejected"] : ["sound", "invalid"];
  const own = report.admission === null ? [] : [report.admission];
  const others = report.others.toSorted((x, y) => (x.p ?? 2) - (y.p ?? 2)).slice(0, shownMetrics);
  const more = report.others.length - others.length;
  return [
    ...own.map((s) =>
      wrap(
        `${sides.map((w, i) => (i === 0 ? capital(w) : w)).join(" against ")} versions: ${sentence(s)}`,
        io.columns,
      ),
    ),
    "Each further revision tried on the same versions gives luck another chance; this p counts only one.",
    ...(others.length === 0 ? [] : ["", separationTable(io, [...own, ...others], sides)]),
    ...(more > 0 ? [`… ${more} more with --json`] : []),
  ];
}

const capital = (word: string): string => word.charAt(0).toUpperCase() + word.slice(1);

function sentence(s: Separation): string {
  const verdict = {
    separates: "it separates them",
    does_not_separate: "it does not separate them",
    cannot_tell: "nobody can tell yet",
  }[s.verdict];
  return `${verdict}. ${s.because}`;
}

const figure = (x: number | null): string => (x === null ? "–" : figureText(x));
const middle = (s: Separation, side: "good" | "bad"): string => {
  const values = s[side].flatMap((v) => (v.value === null ? [] : [v.value]));
  if (values.length === 0) return "–";
  const [low, high] = [figure(Math.min(...values)), figure(Math.max(...values))];
  return `${low === high ? low : `${low}…${high}`} (${values.length})`;
};

function separationTable(io: Io, rows: readonly Separation[], sides: readonly string[]): string {
  return table(
    [
      ["metric", ...sides, "AUC", "threshold", "errors", "left out", "p", "Holm", ""],
      ...rows.map((s) => [
        s.metric,
        middle(s, "good"),
        middle(s, "bad"),
        figure(s.auc),
        figure(s.threshold?.at ?? null),
        s.threshold === null ? "–" : `${s.threshold.wrongGood}+${s.threshold.wrongBad}`,
        s.leaveOneOut === null ? "–" : `${s.leaveOneOut.right}/${s.leaveOneOut.of}`,
        figure(s.p),
        figure(s.adjusted),
        s.verdict.replaceAll("_", " "),
      ]),
    ],
    [3, 4, 5, 6, 7, 8],
    io,
  );
}

/** The quarantined versions that would be let through, and who accepted which. */
export function renderLetThrough(io: Io, letThrough: readonly LetThrough[]): string[] {
  const open = letThrough.some((l) => l.waived === null);
  return [
    ...letThrough.map(({ message, waived }) =>
      waived === null
        ? paint(io, "red", wrap(`× ${message}`, io.columns, "  "))
        : wrap(`✓ ${message} Accepted by ${waived.by}: ${waived.reason}`, io.columns, "  "),
    ),
    ...(open
      ? ['Diagnose and evolve refuse this revision; --approve "<why>" accepts it and records who and why.']
      : []),
  ];
}
