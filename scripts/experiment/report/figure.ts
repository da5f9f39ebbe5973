import { escaped } from "../../../server/src/engine/report/html/markup.ts";
import type { Plan } from "../plan.ts";
import type { ArmSummary, Summary } from "./summary.ts";

const [left, width, rowHeight, top, gap] = [230, 420, 20, 34, 26] as const;

/** One panel for each domain: the mean of each arm as a bar, each seed as a point. */
export function scoresFigure(plan: Plan, { arms, missing }: Summary): string {
  const panels = plan.domains
    .map((domain) => arms.filter((one) => one.domain === domain))
    .filter((own) => own.length > 0);
  let y = 24;
  const drawn = panels.map((own) => {
    const panel = panelAt(own, y);
    y += top + own.length * rowHeight + gap;
    return panel;
  });
  const note = missing.length === 0 ? "" : ` – not a result: ${missing.length} cells are missing`;
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" width="${left + width + 70}" height="${y + 10}" font-family="sans-serif" font-size="12" role="img" aria-label="Audit score of every arm">`,
    `<rect width="100%" height="100%" fill="#ffffff"/>`,
    `<text x="10" y="16" font-weight="bold">Audit score, %${escaped(note)}</text>`,
    ...drawn,
    "</svg>",
  ].join("\n");
}

function panelAt(own: readonly ArmSummary[], y: number): string {
  const x = (share: number): number => left + share * width;
  const marks = [0, 0.25, 0.5, 0.75, 1].map(
    (share) =>
      `<line x1="${x(share)}" x2="${x(share)}" y1="${y + top - 8}" y2="${y + top + own.length * rowHeight}" stroke="#d0d0d0"/><text x="${x(share)}" y="${y + top - 12}" text-anchor="middle" fill="#555555">${100 * share}</text>`,
  );
  const rows = own.map(({ title, arm, bySeed }, i) => {
    const middle = y + top + i * rowHeight + rowHeight / 2;
    const average = bySeed.reduce((sum, value) => sum + value, 0) / Math.max(1, bySeed.length);
    const colour = arm === "evotrainer" ? "#1f5fa8" : arm === "human" ? "#8a5a00" : "#8c8c8c";
    return [
      `<text x="${left - 8}" y="${middle + 4}" text-anchor="end">${escaped(title)}</text>`,
      `<rect x="${left}" y="${middle - 6}" width="${(average * width).toFixed(1)}" height="12" fill="${colour}" fill-opacity="0.45"/>`,
      ...bySeed.map(
        (value) =>
          `<circle cx="${x(value).toFixed(1)}" cy="${middle}" r="3" fill="${colour}" stroke="#ffffff"/>`,
      ),
      `<text x="${left + width + 8}" y="${middle + 4}">${(100 * average).toFixed(1)}</text>`,
    ].join("");
  });
  return [
    `<text x="10" y="${y + 14}" font-weight="bold">${own[0]?.domain ?? ""}</text>`,
    ...marks,
    ...rows,
  ].join("\n");
}

/** A page that needs nothing else: the figure and the raw numbers that it was drawn from. */
export const figurePage = (svg: string, summary: Summary): string =>
  `<!doctype html>\n<html lang="en"><meta charset="utf-8"><title>Experiments</title>\n${svg}\n<script type="application/json" id="summary">${JSON.stringify(summary).replaceAll("<", "\\u003c")}</script>\n</html>\n`;
