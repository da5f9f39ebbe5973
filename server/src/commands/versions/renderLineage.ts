import { differInNumber, foldedLabels, withAlso } from "../../../../shared/model/foldedLabels.ts";
import { labelsFound } from "../../../../shared/model/labelShare.ts";
import { shortShareText } from "../../../../shared/model/shareText.ts";
import { decisionLooks, terminalColours, type Colour } from "../../../../shared/words/decisions.ts";
import { decisionText } from "../../../../shared/words/stages.ts";
import { counted, measuredElsewhere, percent, percentInterval } from "../../../../shared/words/numbers.ts";
import type { LineageReport, VersionReport } from "../../../../shared/ledger/lineage.ts";
import { peopleSaid } from "../../../../shared/words/people.ts";
import type { PeopleOnLabels } from "./peopleBeside.ts";
import { paint, type Io } from "../terminal/io.ts";
import { sentences, table, wrap } from "../terminal/table.ts";

/** Mark and word say the decision; colour only repeats it. */
const lookOf = (
  decision: VersionReport["decision"],
): { readonly mark: string; readonly style: (typeof terminalColours)[Colour] } => {
  const { mark, colour } = decisionLooks[decision];
  return { mark, style: terminalColours[colour] };
};

/** The whole report of an evolution: the tree, the labels of each version, why each was decided so, and the promotion. */
export function renderLineage(io: Io, view: LineageReport & PeopleOnLabels): string {
  const imported = view.versions.find((v) => v.origin !== null)?.origin ?? null;
  if (view.versions.length === 0) return `${view.project} has no versions yet; run \`evotrainer evolve\`.`;
  return [
    heading(
      io,
      imported === null
        ? `Lineage of ${view.project}`
        : `Lineage ${imported.lineage}, imported from ${imported.format} into ${view.domain}`,
    ),
    ...(imported === null ? [] : [summary(view), ""]),
    tree(io, view),
    "",
    // Another tool's versions have no labels of ours until rollouts of theirs are imported.
    ...(imported !== null && view.versions.every((v) => v.labels.length === 0) ? [] : labelTables(io, view)),
    heading(io, "Why"),
    reasons(io, view),
    ...worn(io, view),
    ...promotions(io, view),
    ...changed(io, view),
  ].join("\n");
}

/** How often the selection split was looked at, and what that is worth. */
function worn(io: Io, { wear }: LineageReport): string[] {
  if (wear === undefined) return [];
  return ["", heading(io, "Selection split"), wrap(wear.sentence, io.columns - 2, "  ")];
}

/** What somebody did to the evidence of a run that was over. */
function changed(io: Io, { changedEvidence = [] }: LineageReport): string[] {
  return changedEvidence.length === 0
    ? []
    : [
        "",
        heading(io, "Changed evidence"),
        ...changedEvidence.map((text) => wrap(text, io.columns - 2, "  ")),
      ];
}

function heading(io: Io, text: string): string {
  return paint(io, "bold", text);
}

/** How many of each decision, the best by the metric that the other tool decided by, and what is not known. */
function summary({ versions }: LineageReport): string {
  const real = versions.filter((v) => v.origin?.missing !== true);
  const counts = new Map<string, number>();
  for (const v of real) {
    const word = v.decision === "pending" ? "undecided" : decisionText(v);
    counts.set(word, (counts.get(word) ?? 0) + 1);
  }
  const lines = [
    `${counted(real.length, "version")}: ${[...counts].map(([word, n]) => `${n} ${word}`).join(", ")}.`,
    ...bestOf(real),
  ];
  const failed = real.filter((v) => v.failure !== null).length;
  if (failed > 0) lines.push(`${failed} failed.`);
  const gaps = versions.length - real.length;
  if (gaps > 0) lines.push(`${counted(gaps, "parent is", "parents are")} not recorded (◌).`);
  return lines.join(" ");
}

function bestOf(versions: readonly VersionReport[]): string[] {
  let best: { name: string; value: number } | undefined;
  const metric = versions.find((v) => v.measured !== null)?.measured;
  if (metric == null) return [];
  const names = new Set(versions.flatMap((v) => v.measured?.metric ?? []));
  if (names.size > 1) return [`Measured by ${names.size} metrics, each on different versions.`];
  const sign = metric.direction === "higher" ? 1 : -1;
  let unknown = 0;
  for (const { name, measured } of versions) {
    if (measured?.value == null) unknown++;
    else if (best === undefined || sign * (measured.value - best.value) > 0)
      best = { name, value: measured.value };
  }
  const named = `${metric.metric}${metric.unit === null ? "" : ` in ${metric.unit}`}`;
  const without = unknown === 0 ? "" : `; ${unknown} have no value`;
  if (metric.direction === null)
    return [`Measured: ${named}, and which way is better is not known${without}.`];
  return [
    `Measured: ${named}, ${metric.direction} is better${best === undefined ? "" : `; best ${measuredElsewhere(best.value)} in ${best.name}`}${without}.`,
  ];
}

/** So many versions, the newest, are shown as a tree; a search may have made a hundred thousand. */
const treeShown = 1000;
/** So many columns have room for all of the tree's. */
const roomy = 100;
/** A branch this deep is not indented further. */
const deepest = 20;

function tree(io: Io, { versions }: LineageReport): string {
  const shown = versions.slice(-treeShown);
  const names = new Set(shown.map(({ name }) => name));
  const children = new Map<string | null, VersionReport[]>();
  for (const v of shown) {
    const parent = v.parent !== null && names.has(v.parent) ? v.parent : null;
    const beside = children.get(parent);
    if (beside === undefined) children.set(parent, [v]);
    else beside.push(v);
  }
  const rows: string[][] = [["version", "score", "95 % interval", "decision", "factor", "change"]];
  const open = withBranches(children.get(null) ?? [], undefined).reverse();
  for (let at = open.pop(); at !== undefined; at = open.pop()) {
    rows.push(row(io, at));
    // A stack, since a line of versions may be longer than functions can call each other.
    open.push(...withBranches(children.get(at.version.name) ?? [], at).reverse());
  }
  const older = versions.length - shown.length;
  return [
    // On a narrow terminal the change is worth more than its factor, which `lineage <version>` shows.
    table(io.terminal && io.columns < roomy ? rows.map((cells) => cells.toSpliced(4, 1)) : rows, [1], io),
    ...(older === 0
      ? []
      : [`… and ${counted(older, "older version")}; \`evotrainer --json lineage\` has all of them.`]),
  ].join("\n");
}

/** A version in the tree: what stands before it, and before those below it. */
interface Branch {
  readonly version: VersionReport;
  readonly before: string;
  readonly below: string;
  readonly depth: number;
}

function withBranches(versions: readonly VersionReport[], parent: Branch | undefined): Branch[] {
  return versions.map((version, i) => {
    if (parent === undefined) return { version, before: "", below: "", depth: 0 };
    const isLast = i === versions.length - 1;
    const depth = parent.depth + 1;
    return {
      version,
      before: `${parent.below}${isLast ? "└─ " : "├─ "}`,
      below: depth > deepest ? parent.below : `${parent.below}${isLast ? "   " : "│  "}`,
      depth,
    };
  });
}

function row(io: Io, { version: v, before }: Branch): string[] {
  const { mark, style } = lookOf(v.decision);
  const isGap = v.origin?.missing === true;
  return [
    `${before}${paint(io, style, isGap ? "◌" : v.origin !== null && v.decision === "pending" ? "?" : mark)} ${v.name}${v.promoted ? " ★" : ""}`,
    v.score !== null
      ? `${percent(v.score)}${cleanText(v)}`
      : v.measured?.value == null
        ? "–"
        : measuredElsewhere(v.measured.value),
    v.low === null || v.high === null ? "" : percentInterval(v.low, v.high),
    paint(io, style, `${decisionWord(v)}${v.revertedBy === undefined ? "" : ", reverted"}`),
    v.factor ?? "",
    v.title,
  ];
}

/** What an invalid version has without its leak, beside what it has with it. */
function cleanText({ decision, cleanScore, cleanBy }: VersionReport): string {
  if (decision !== "invalid" || cleanScore === null) return "";
  return ` (${percent(cleanScore)} ${cleanBy === "reevaluated" ? "re-evaluated without the leak" : "without the labelled rollouts"})`;
}

/** Columns of the table of labels: those of the newest versions. */
const labelsShown = 24;

/** Labels of rollouts and, apart from them, what was counted in groups: those may be of another split, and are no failures. */
function labelTables(io: Io, view: LineageReport & PeopleOnLabels): string[] {
  const measured = view.versions.filter((v) => v.labels.length > 0).slice(-labelsShown);
  const found = measured.flatMap((v) => labelsFound(v.labels));
  // A label keeps its row where it is on other rollouts than the one that it is folded under, in one version at least.
  const rows = measured.flatMap((v) => foldedLabels(onTheSame(labelsFound(v.labels))));
  const own = new Set(rows.map(({ label }) => label.name));
  const named = (over: "group" | undefined): string[] =>
    [...new Set(rows.filter(({ label }) => label.over === over).map(({ label }) => label.name))].sort();
  const alsoOf = (name: string): string[] =>
    [...new Set(rows.filter(({ label }) => label.name === name).flatMap(({ also }) => also))]
      .filter((other) => !own.has(other))
      .sort();
  const [ofRollouts, ofGroups] = [named(undefined), named("group")];
  const splits = [...new Set(found.flatMap(({ split }) => (split === undefined ? [] : [split])))];
  const where = splits.length === 0 ? "" : ` of the ${splits.join(" and ")} split`;
  return [
    heading(io, "Failure labels, share of the selection rollouts"),
    ofRollouts.length === 0 ? "No label was set." : labels(io, measured, ofRollouts, alsoOf),
    ...peopleSaid(view.people ?? []),
    "",
    ...(ofGroups.length === 0
      ? []
      : [heading(io, `Groups, share of the groups${where}`), labels(io, measured, ofGroups, alsoOf), ""]),
  ];
}

/** Labels that are on nearly the same rollouts as another one have numbers of their own, so that they keep their row. */
function onTheSame<T extends Parameters<typeof differInNumber>[0]>(found: readonly T[]): T[] {
  const byName = new Map(found.map((label) => [label.name, label]));
  return found.map((label) => {
    const lead = label.under === undefined ? undefined : byName.get(label.under);
    return lead !== undefined && differInNumber(label, lead) ? { ...label, under: undefined } : label;
  });
}

function labels(
  io: Io,
  measured: readonly VersionReport[],
  names: readonly string[],
  alsoOf: (name: string) => string[],
): string {
  const cell = (v: VersionReport, name: string): string => {
    const label = v.labels.find((l) => l.name === name);
    if (label === undefined) return "–";
    const text = `${shortShareText(label)}${label.alert === null ? "" : label.alert === "critical" ? " !!" : " !"}`;
    return label.alert === null ? text : paint(io, label.alert === "critical" ? "red" : "yellow", text);
  };
  const open = measured.some((v) =>
    v.labels.some((l) => names.includes(l.name) && (l.rate === null || l.bounds !== undefined)),
  );
  return `${table(
    [
      ["label", ...measured.map((v) => v.name.replace(/-.*/, ""))],
      ...names.map((name) => [withAlso(name, alsoOf(name)), ...measured.map((v) => cell(v, name))]),
    ],
    measured.map((_, i) => i + 1),
    io,
  )}\n! above the diagnostic's alert, !! above its critical threshold${open ? "; ? some rollouts are undecided, or all of them" : ""}`;
}

/** A lineage of hundreds of trials is read in its tree; the reasons of all of them are in the JSON. */
const reasonsShown = 60;

function reasons(io: Io, view: LineageReport): string {
  const { versions } = view;
  const shown =
    versions.length <= reasonsShown
      ? versions
      : versions.filter((v) => v.decision !== "reject" && v.decision !== "prune").slice(-reasonsShown);
  const rest = versions.length - shown.length;
  return [
    ...shown.map((v) => reason(io, v)),
    ...(rest === 0 ? [] : [`… and ${rest} more; \`evotrainer --json lineage\` has the reason of each.`]),
  ].join("\n");
}

function reason(io: Io, v: VersionReport): string {
  const { style } = lookOf(v.decision);
  const shown = v.evidence
    .slice(0, 2)
    .map((e) => `${e.rollout} (${e.label}${e.turns.length > 0 ? `, turn ${e.turns.join(", ")}` : ""})`);
  const text = sentences(v.reason);
  const lines = [
    `${v.name} ${paint(io, style, decisionWord(v))}: ${text}`,
    ...(shown.length > 0 ? [`see ${shown.join("; ")}`] : []),
    ...(v.merges === undefined ? [] : [`it merges ${v.merges} into ${v.parent ?? "its parent"}`]),
    ...(v.joins === undefined ? [] : [`it has the edits of ${v.joins} as well`]),
    ...(v.wouldDiffer ?? []).map(
      ({ version, was, wouldBe }) =>
        `${version} was decided otherwise: ${decisionLooks[was].word}, would be ${decisionLooks[wouldBe].word} now`,
    ),
    ...(v.revertedBy === undefined ? [] : [`reverted by ${v.revertedBy}`]),
  ];
  return lines.map((l) => wrap(l, io.columns - 2, "    ")).join("\n  ");
}

/** A version of another tool that is not decided is not waiting for us. */
function decisionWord(v: VersionReport): string {
  if (v.origin === null || v.decision !== "pending") return decisionText(v);
  return v.origin.missing ? "missing" : "undecided";
}

function promotions(io: Io, view: LineageReport): string[] {
  const promoted = view.versions.filter((v) => v.promoted).slice(-reasonsShown);
  return promoted.flatMap((v) => [
    "",
    heading(io, "Promoted"),
    wrap(`★ ${v.name}: ${sentences(v.promotion ?? "")}`, io.columns - 2, "  "),
  ]);
}
