import { alertLooks } from "../../../shared/words/decisions.ts";
import { groupsText } from "../../../shared/model/shareText.ts";
import { auditGapText } from "../../../shared/words/auditText.ts";
import { failureText } from "../../../shared/model/failureText.ts";
import { decisionText } from "../../../shared/words/stages.ts";
import type { LabelByPeople } from "../../../shared/protocol/results/people.ts";
import type { ShownVersion } from "../../../shared/protocol/views/version.ts";
import { struckScore } from "../shared/distrusted.ts";
import { element, linkButton, withNames } from "../shared/dom.ts";
import { glossaryWord } from "../shared/glossaryWord.ts";
import { figureText, percentIntervalText, percentText } from "../shared/numbers.ts";
import { visibleText } from "../shared/visibleText.ts";
import { tableOf, type Cell } from "../shared/table.ts";
import { evidenceOf, type Evidence, type Known } from "./known.ts";
import { intervalPlot, labelCellWithPeople } from "./parts.ts";

export type OverviewHandlers = {
  readonly evidence: (version: string, label?: string) => void;
  readonly remove: (version: string) => void;
};
/** The versions beside each other: what was changed and why, then the evidence layer by layer. */
export function overviewOf(
  versions: readonly Known[],
  people: readonly LabelByPeople[],
  on: OverviewHandlers,
): HTMLElement {
  const evidence = versions.map(evidenceOf);
  const scale = scaleOf(evidence);
  const rows: Cell[][] = [];
  const add = (title: Cell, cells: readonly Cell[]): void => {
    if (cells.some((cell) => cell !== "")) rows.push([title, ...cells]);
  };
  const text = (title: string, of: (version: ShownVersion) => string): void =>
    add(
      title,
      versions.map(({ version }) => visibleText(of(version))),
    );
  add(
    "Decision",
    versions.map(({ version }) => ({
      text: `${decisionText(version, "became")}${version.promoted ? ", promoted" : ""}`,
      className: `decision ${version.decision}`,
    })),
  );
  text("Reason", (v) => v.reason);
  add(
    "Hypothesis",
    versions.map(({ version: { hypothesis } }) =>
      hypothesis === null ? "" : { text: withNames("span", visibleText(hypothesis)) },
    ),
  );
  text("Change", (v) => v.title);
  text("Merged into its parent", (v) => v.merges ?? "");
  text("With the edits of", (v) => v.joins ?? "");
  text("Reverted by", (v) => v.revertedBy ?? "");
  add(
    { text: glossaryWord("Factor", "factor") },
    versions.map(({ version }) => visibleText(version.factor ?? "")),
  );
  text("Author", (v) => v.author ?? "");
  text("Backtest", (v) => v.backtest ?? "");
  text("Failed job", (v) => (v.failure === null ? "" : failureText(v.failure)));
  add(
    "Score",
    evidence.map((e, i) => scoreCell(e, scale, versions[i]?.version.distrust)),
  );
  text("Measured", ({ measured }) =>
    measured === null || measured.value === null ? "" : `${measured.metric} ${figureText(measured.value)}`,
  );
  add(
    "Without invalid rollouts",
    evidence.map(({ cleanScore }, i) =>
      cleanScore === null
        ? ""
        : `${percentText(cleanScore)}${versions[i]?.version.cleanBy === "reevaluated" ? ", re-evaluated in its parent's environment" : ""}`,
    ),
  );
  text("Audit", ({ audit }) =>
    audit === null
      ? ""
      : `${percentText(audit.score)} ${percentIntervalText(audit.low, audit.high)}${auditGapText(audit.gap)}`,
  );
  for (const name of namesOf(evidence, ({ signals }) => Object.keys(signals)))
    add(
      name,
      evidence.map(({ signals }) => {
        const value = signals[name];
        return value === undefined ? "" : value === null ? "unknown" : figureText(value);
      }),
    );
  for (const name of namesOf(evidence, ({ labels }) => labels.map((label) => label.name)))
    add(
      labelCellWithPeople(labelTitle(name, evidence), name, people),
      evidence.map(({ labels }, i) => {
        const found = labels.find((label) => label.name === name);
        return found === undefined ? "not looked for" : labelCell(found, () => on.evidence(nameAt(i), name));
      }),
    );
  text("Tags", ({ tags }) => tags.map((tag) => `#${tag}`).join(" "));
  text("Notes", ({ notes }) => notes.map(({ by, text: said }) => `${by}: ${said}`).join("\n"));
  const nameAt = (i: number): string => versions[i]?.version.name ?? "";
  const head = versions.map(({ version: { name, alias } }): Cell => {
    const cell = element("span", "version-name");
    cell.append(linkButton(visibleText(name), () => on.evidence(name)));
    if (alias !== null) cell.append(element("span", "quiet", ` ${visibleText(alias)}`));
    if (versions.length > 2) {
      const off = linkButton("✕", () => on.remove(name));
      off.setAttribute("aria-label", `Remove ${name}`);
      cell.append(" ", off);
    }
    return { text: cell };
  });
  return tableOf("Versions side by side", ["", ...head], rows);
}

function scoreCell(
  { score, low, high }: Evidence,
  scale: readonly [number, number],
  distrust: ShownVersion["distrust"],
): Cell {
  if (score === null) return "not measured";
  if (distrust !== undefined) return { text: struckScore(score, distrust.counts) };
  const cell = element("div", "score");
  cell.append(intervalPlot(scale, { value: score, low, high }), element("span", "", percentText(score)));
  if (low !== null && high !== null)
    cell.append(element("span", "quiet", ` ${percentIntervalText(low, high)}`));
  return { text: cell };
}

/** The name of a label, and what its shares are of where that is not the selection rollouts. */
function labelTitle(name: string, evidence: readonly Evidence[]): string {
  const [over = ""] = evidence.flatMap(({ labels }) =>
    labels.filter((label) => label.name === name).map(groupsText),
  );
  return over === "" ? visibleText(name) : `${visibleText(name)} (${over})`;
}

function labelCell({ rate, bounds, alert, over }: Evidence["labels"][number], onClick: () => void): Cell {
  if (rate === null) return "cannot tell";
  const cell = element("span", alert ?? "");
  // Groups have no rollouts that could be listed by the label.
  cell.append(rate > 0 && over === undefined ? linkButton(percentText(rate), onClick) : percentText(rate));
  if (bounds !== undefined)
    cell.append(element("span", "quiet", ` of those decided, ${percentIntervalText(...bounds)} of all`));
  if (alert !== null) {
    const sign = element("span", "sign", ` ${alertLooks[alert].mark}`);
    sign.setAttribute("aria-hidden", "true");
    cell.append(sign, ` ${alert} alert`);
  }
  return { text: cell };
}

function scaleOf(evidence: readonly Evidence[]): [number, number] {
  const values = evidence.flatMap(({ score, low, high }) => [score, low, high].filter((v) => v !== null));
  const [low, high] = [Math.min(...values), Math.max(...values)];
  return low < high ? [low, high] : [low - 0.01, high + 0.01];
}

function namesOf(evidence: readonly Evidence[], of: (e: Evidence) => readonly string[]): string[] {
  return [...new Set(evidence.flatMap(of))].sort();
}
