import type { LineageReport, VersionReport } from "../../../shared/model/lineage.ts";
import { percent } from "../gates/decide.ts";
import { paint, type Io } from "./io.ts";
import { printable, table, wrap } from "./table.ts";

/** Shape and word say the decision; colour only repeats it. */
const marks: Readonly<
  Record<VersionReport["decision"], { mark: string; style: "green" | "red" | "magenta" | "yellow" | "cyan" }>
> = {
  base: { mark: "○", style: "cyan" },
  keep: { mark: "●", style: "green" },
  reject: { mark: "×", style: "red" },
  invalid: { mark: "▲", style: "magenta" },
  edit: { mark: "✎", style: "cyan" },
  prune: { mark: "-", style: "yellow" },
  merge: { mark: "◆", style: "green" },
  revert: { mark: "↺", style: "yellow" },
  pending: { mark: "…", style: "yellow" },
};

/** A measured number with as many digits as a reader can use. */
export function figure(value: number): string {
  return Number.isInteger(value) || Math.abs(value) >= 1e6
    ? String(value)
    : String(Number(value.toPrecision(6)));
}

/** The whole report of an evolution: the tree, the labels of each version, why each was decided so, and the promotion. */
export function renderLineage(io: Io, view: LineageReport): string {
  const imported = view.versions.find((v) => v.origin !== null)?.origin ?? null;
  if (view.versions.length === 0) return `${view.project} has no versions yet; run \`evotrainer evolve\`.`;
  return [
    heading(
      io,
      imported === null
        ? `Lineage of ${view.project}`
        : `Lineage ${printable(imported.lineage)}, imported from ${imported.format} into ${view.domain}`,
    ),
    ...(imported === null ? [] : [summary(view), ""]),
    tree(io, view),
    "",
    // Another tool's versions have no labels of ours until rollouts of theirs are imported.
    ...(imported !== null && view.versions.every((v) => v.labels.length === 0)
      ? []
      : [heading(io, "Failure labels, share of the selection rollouts"), labels(io, view), ""]),
    heading(io, "Why"),
    reasons(io, view),
    ...promotions(io, view),
  ].join("\n");
}

function heading(io: Io, text: string): string {
  return paint(io, "bold", text);
}

/** How many of each decision, the best by the metric that the other tool decided by, and what is not known. */
function summary({ versions }: LineageReport): string {
  const real = versions.filter((v) => v.origin?.missing !== true);
  const counts = new Map<string, number>();
  for (const v of real) {
    const word = v.decision === "pending" ? "undecided" : v.decision;
    counts.set(word, (counts.get(word) ?? 0) + 1);
  }
  const lines = [
    `${real.length} ${real.length === 1 ? "version" : "versions"}: ${[...counts].map(([word, n]) => `${n} ${word}`).join(", ")}.`,
    ...bestOf(real),
  ];
  const failed = real.filter((v) => v.failure !== null).length;
  if (failed > 0) lines.push(`${failed} failed.`);
  const gaps = versions.length - real.length;
  if (gaps > 0) lines.push(`${gaps} ${gaps === 1 ? "parent is" : "parents are"} not recorded (◌).`);
  return lines.join(" ");
}

function bestOf(versions: readonly VersionReport[]): string[] {
  let best: { name: string; value: number } | undefined;
  const metric = versions.find((v) => v.measured !== null)?.measured;
  if (metric == null) return [];
  const names = new Set(versions.flatMap((v) => v.measured?.metric ?? []));
  if (names.size > 1) return [`Measured by ${names.size} metrics, each for versions of its own.`];
  const sign = metric.direction === "higher" ? 1 : -1;
  let unknown = 0;
  for (const { name, measured } of versions) {
    if (measured?.value == null) unknown++;
    else if (best === undefined || sign * (measured.value - best.value) > 0)
      best = { name, value: measured.value };
  }
  const named = `${printable(metric.metric)}${metric.unit === null ? "" : ` in ${printable(metric.unit)}`}`;
  const without = unknown === 0 ? "" : `; ${unknown} have no value`;
  if (metric.direction === null)
    return [`Measured: ${named}, and which way is better is not known${without}.`];
  return [
    `Measured: ${named}, ${metric.direction} is better${best === undefined ? "" : `; best ${figure(best.value)} in ${best.name}`}${without}.`,
  ];
}

function tree(io: Io, view: LineageReport): string {
  const children = new Map<string | null, VersionReport[]>();
  for (const v of view.versions) children.set(v.parent, [...(children.get(v.parent) ?? []), v]);
  const rows: string[][] = [["version", "score", "95 % interval", "decision", "factor", "change"]];
  const walk = (v: VersionReport, prefix: string, last: boolean, root: boolean): void => {
    const { mark, style } = marks[v.decision];
    const branch = root ? "" : `${prefix}${last ? "└─ " : "├─ "}`;
    const isGap = v.origin?.missing === true;
    rows.push([
      `${branch}${paint(io, style, isGap ? "◌" : v.origin !== null && v.decision === "pending" ? "?" : mark)} ${v.name}${v.promoted ? " ★" : ""}`,
      v.score !== null ? percent(v.score) : v.measured?.value == null ? "–" : figure(v.measured.value),
      v.low === null || v.high === null ? "" : `[${(100 * v.low).toFixed(1)}, ${(100 * v.high).toFixed(1)}]`,
      paint(io, style, decisionWord(v)),
      v.factor ?? "",
      printable(v.title),
    ]);
    const below = children.get(v.name) ?? [];
    below.forEach((child, i) =>
      walk(child, root ? "" : `${prefix}${last ? "   " : "│  "}`, i === below.length - 1, false),
    );
  };
  for (const root of children.get(null) ?? []) walk(root, "", true, true);
  return table(rows, [1]);
}

function labels(io: Io, view: LineageReport): string {
  const names = [
    ...new Set(view.versions.flatMap((v) => v.labels.filter((l) => l.rate > 0).map((l) => l.name))),
  ].sort();
  if (names.length === 0) return "No label was set.";
  const cell = (v: VersionReport, name: string): string => {
    const label = v.labels.find((l) => l.name === name);
    if (label === undefined) return "–";
    const text = `${(100 * label.rate).toFixed(1)}${label.alert === null ? "" : label.alert === "critical" ? " !!" : " !"}`;
    return label.alert === null ? text : paint(io, label.alert === "critical" ? "red" : "yellow", text);
  };
  const measured = view.versions.filter((v) => v.labels.length > 0);
  return `${table(
    [
      ["label", ...measured.map((v) => v.name.replace(/-.*/, ""))],
      ...names.map((name) => [name, ...measured.map((v) => cell(v, name))]),
    ],
    measured.map((_, i) => i + 1),
  )}\n! above the diagnostic's alert, !! above its critical threshold`;
}

/** A lineage of hundreds of trials is read in its tree; the reasons of all of them are in the JSON. */
const reasonsShown = 60;

function reasons(io: Io, view: LineageReport): string {
  const { versions } = view;
  const shown =
    versions.length <= reasonsShown
      ? versions
      : versions.filter((v) => v.decision !== "reject" && v.decision !== "prune").slice(0, reasonsShown);
  const rest = versions.length - shown.length;
  return [
    ...shown.map((v) => reason(io, v)),
    ...(rest === 0 ? [] : [`… and ${rest} more; \`evotrainer --json lineage\` has the reason of each.`]),
  ].join("\n");
}

function reason(io: Io, v: VersionReport): string {
  const { style } = marks[v.decision];
  const shown = v.evidence
    .slice(0, 2)
    .map((e) => `${e.rollout} (${e.label}${e.turns.length > 0 ? `, turn ${e.turns.join(", ")}` : ""})`);
  const text = printable(v.reason).replace(/\s*\n\s*/g, " / ");
  const lines = [
    `${v.name} ${paint(io, style, decisionWord(v))}: ${text}`,
    ...(shown.length > 0 ? [`see ${shown.join("; ")}`] : []),
  ];
  return lines.map((l) => wrap(l, Math.max(60, io.columns - 2), "    ")).join("\n  ");
}

/** A version of another tool that is not decided is not waiting for us. */
function decisionWord(v: VersionReport): string {
  if (v.origin === null || v.decision !== "pending") return v.decision;
  return v.origin.missing ? "missing" : "undecided";
}

function promotions(io: Io, view: LineageReport): string[] {
  const promoted = view.versions.filter((v) => v.promoted);
  return promoted.flatMap((v) => [
    "",
    heading(io, "Promoted"),
    wrap(`★ ${v.name}: ${printable(v.promotion ?? "")}`, Math.max(60, io.columns - 2), "  "),
  ]);
}
