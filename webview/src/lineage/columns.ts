import { isTrusted } from "../../../shared/model/isTrusted.ts";
import { labelsFound } from "../../../shared/model/labelShare.ts";
import type { ScaleLinear } from "d3";
import { alertLooks, verdictLooks } from "../../../shared/words/decisions.ts";
import { decisionText } from "../../../shared/words/stages.ts";
import { glossary } from "../../../shared/words/glossary.ts";
import type { LineageVersion } from "../../../shared/protocol/views/lineage.ts";
import type { LabelByPeople } from "../../../shared/protocol/results/people.ts";
import { peopleSaid } from "../../../shared/words/people.ts";
import { element, svgElement } from "../shared/dom.ts";
import { dateTimeText, percentText, signedPointsText } from "../shared/numbers.ts";
import { visibleLine } from "../shared/visibleText.ts";
import { cellLabels } from "./cellLabels.ts";
import type { Order } from "./filter.ts";
import { intervalText, labelsText, scoreText, voidText } from "./text.ts";

/** What a cell may show beside its version. */
export type CellContext = {
  readonly x: ScaleLinear<number, number> | undefined;
  /** What people's answers say of labels. */
  readonly people: readonly LabelByPeople[];
};
export type Column = {
  readonly id: string;
  readonly title: string;
  /** What the heading explains to who points at it. */
  readonly hint?: string;
  readonly order?: Order;
  /** Puts into an empty cell what stays there; gives how to show another version in it. */
  readonly make: (cell: HTMLElement) => (version: LineageVersion, context: CellContext) => void;
};

export const barWidth = 120;
const barHeight = 20;
const text =
  (of: (version: LineageVersion) => string, shorten = true): Column["make"] =>
  (cell) =>
  (version) => {
    const written = visibleLine(of(version));
    if (cell.textContent === written) return;
    cell.textContent = written;
    // What is cut off can be read by pointing at it.
    if (shorten) cell.title = written;
  };

/** Name, the name that a person gave, tags and whether there are notes. */
const nameCell: Column["make"] = (cell) => {
  const [own, alias, tags, notes] = [
    element("span", "own"),
    element("span", "alias"),
    element("span", "tags"),
    element("span", "noted"),
  ];
  cell.append(own, " ", alias, " ", tags, " ", notes);
  return (version) => {
    own.textContent = visibleLine(version.name);
    alias.textContent = visibleLine(version.alias ?? "");
    tags.textContent = visibleLine(version.tags.map((tag) => `#${tag}`).join(" "));
    const { length } = version.notes;
    notes.textContent = length === 0 ? "" : `✎\u00A0${length}`;
    cell.title = visibleLine(
      [version.name, version.alias ?? "", ...version.tags.map((tag) => `#${tag}`)]
        .filter(Boolean)
        .join(" · "),
    );
  };
};

const decisionCell: Column["make"] = (cell) => (version) => {
  const became = decisionText(version, "became");
  cell.textContent = `${became}${version.promoted ? " ★" : ""}`;
  cell.title = `${became}${version.promoted ? ", promoted" : ""}`;
};

/** A score alone; one that does not count is struck through here too. */
const plainScoreCell: Column["make"] = (cell) => (version) => {
  cell.classList.toggle("struck", version.decision === "invalid");
  cell.textContent = scoreText(version);
  cell.title =
    version.decision === "invalid" ? `${version.name} is not valid: its score does not count.` : "";
};

const scoreCell: Column["make"] = (cell) => {
  const [value, interval] = [element("span", "value"), element("span", "interval-text")];
  cell.append(value, " ", interval);
  return (version) => {
    const isInvalid = version.decision === "invalid";
    value.classList.toggle("struck", isInvalid);
    value.title = isInvalid ? `${version.name} is not valid: its score does not count.` : "";
    value.textContent = scoreText(version);
    const isVoid = version.score !== null && !isTrusted(version);
    value.classList.toggle("void", isVoid);
    interval.textContent = isVoid
      ? version.cleanScore === null
        ? "does not count"
        : `clean ${percentText(version.cleanScore)}`
      : intervalText(version);
    cell.title = isVoid
      ? `${scoreText(version)} ${intervalText(version)}${voidText(version)}`
      : `${scoreText(version)} ${intervalText(version)}`.trim();
  };
};

const barCell: Column["make"] = (cell) => {
  const svg = svgElement("svg", { width: barWidth, height: barHeight, "aria-hidden": "true" });
  const mid = barHeight / 2;
  const axis = svgElement("line", { class: "axis", x1: 0, x2: barWidth, y1: mid, y2: mid });
  const interval = svgElement("line", { class: "interval", y1: mid, y2: mid });
  const point = svgElement("circle", { class: "point", cy: mid, r: 3.5 });
  svg.append(axis, interval, point);
  cell.append(svg);
  return ({ score, low, high, decision }, { x }) => {
    // What does not count has no place among what does.
    const isShown = x !== undefined && isTrusted({ decision });
    const hasScore = score !== null && isShown;
    point.setAttribute("visibility", hasScore ? "visible" : "hidden");
    if (hasScore) point.setAttribute("cx", x(score).toFixed(1));
    const hasInterval = low !== null && high !== null && isShown;
    interval.setAttribute("visibility", hasInterval ? "visible" : "hidden");
    if (!hasInterval) return;
    interval.setAttribute("x1", x(low).toFixed(1));
    interval.setAttribute("x2", x(high).toFixed(1));
  };
};

/** By how many points it is better or worse than what it was decided against, with the sign of the verdict. */
const comparedCell: Column["make"] = (cell) => {
  const sign = element("span", "sign");
  const points = element("span");
  cell.append(sign, " ", points);
  return ({ compared, reason }) => {
    const look = compared === undefined ? undefined : verdictLooks[compared.verdict];
    sign.textContent = look?.mark ?? "";
    sign.className = look === undefined ? "sign" : `sign colour-${look.colour}`;
    // The heading says the unit.
    points.textContent = compared === undefined ? "" : signedPointsText(compared.difference);
    cell.title = look === undefined ? "" : visibleLine(`${look.word}. ${reason}`);
  };
};

/** Two labels: what decided the version comes first, then what set off an alert, each with its sign. */
const labelsCell: Column["make"] =
  (cell) =>
  (version, { people }) => {
    const found = cellLabels(version);
    cell.classList.toggle("none", found.length === 0);
    const shown = found.slice(0, 2).map(({ name, rate, alert, decided }) => {
      // As in the table of labels: what a version was not kept for has the sign of the heaviest alert.
      const shownAs = decided ? "critical" : alert;
      const made = element("span", shownAs ?? "label");
      if (shownAs !== null) {
        const sign = element("span", "sign", `${alertLooks[shownAs].mark} `);
        sign.setAttribute("aria-hidden", "true");
        made.append(sign);
      }
      made.append(`${visibleLine(name)} ${percentText(rate)}`);
      return made;
    });
    cell.replaceChildren(
      ...shown.flatMap((span, i) => (i === 0 ? [span] : [", ", span])),
      found.length > 2 ? ` +${found.length - 2}` : "",
    );
    const names = new Set(labelsFound(version.labels).map(({ name }) => name));
    const said = peopleSaid(people.filter(({ label }) => names.has(label)));
    const deciding = found.filter(({ decided }) => decided).map(({ name }) => visibleLine(name));
    cell.title = [
      ...(deciding.length === 0 ? [] : [`Decided by ${deciding.join(", ")}`]),
      visibleLine(labelsText(version)),
      ...said,
    ].join("\n");
  };

const version = { id: "name", title: "Version", order: "name", make: nameCell } as const;
const decision = { id: "decision", title: "Decision", order: "status", make: decisionCell } as const;
const factor = {
  id: "factor",
  title: "Factor",
  hint: glossary.factor,
  order: "factor",
  make: text((v) => v.factor ?? ""),
} as const;
const change = { id: "change", title: "Change", make: text((v) => v.title) } as const;

export const graphColumns: readonly Column[] = [
  version,
  decision,
  { id: "score", title: "Score", order: "score", make: scoreCell },
  { id: "bar", title: "95 % interval", hint: "All versions on one scale", make: barCell },
  {
    id: "compared",
    title: "Points vs parent",
    hint: "Points better or worse than the parent, or the version that it was decided against instead: ▲ improved, ▼ regressed, ≈ inside the noise",
    make: comparedCell,
  },
  factor,
  { id: "labels", title: "Labels", order: "label", make: labelsCell },
  change,
];

/** Everything that the graph shows, in words. */
export const tableColumns: readonly Column[] = [
  { id: "name", title: "Version", order: "name", make: text((v) => v.name) },
  decision,
  { id: "score", title: "Score", order: "score", make: plainScoreCell },
  { id: "interval", title: "Interval", make: text((v) => `${intervalText(v)}${voidText(v)}`) },
  factor,
  { id: "parent", title: "Parent", make: text((v) => v.parent ?? "") },
  change,
  { id: "labels", title: "Labels", order: "label", make: text(labelsText) },
  { id: "reason", title: "Reason", make: text((v) => v.reason) },
  { id: "author", title: "Author", order: "author", make: text((v) => v.author ?? "") },
  {
    id: "generation",
    title: "Generation",
    order: "generation",
    make: text((v) => String(v.generation)),
  },
  {
    id: "said",
    title: "Name, tags and notes",
    make: text((v) =>
      [v.alias ?? "", ...v.tags.map((tag) => `#${tag}`), ...v.notes.map(({ by, text: t }) => `${by}: ${t}`)]
        .filter((part) => part !== "")
        .join(" · "),
    ),
  },
  { id: "made", title: "Made", make: text((v) => dateTimeText(v.at), false) },
];
