import {
  examResult,
  type AnsweredDrafts,
  type ExamFigure,
} from "../../server/src/proposals/exam/examResult.ts";

/** The heads of the figures that `examCells` makes. */
export const examHeads = ["hits", "by chance", "points above", "tau-b"] as const;

const percent = (value: number): string => `${(100 * value).toFixed(0)} %`;
const points = (value: number): string => (100 * value).toFixed(0);
const within = ({ value, low, high }: ExamFigure, said: (value: number) => string): string =>
  low === null || high === null ? said(value) : `${said(value)} [${said(low)}, ${said(high)}]`;

/** How an order fits what was measured, a cell for each figure. */
export function examCells(answered: readonly AnsweredDrafts[]): string[] {
  const { hitRate, byChance, above, tau } = examResult(answered);
  return [
    ...[percent(hitRate.value), percent(byChance), within(above, points)],
    tau === null ? "–" : within(tau, (value) => value.toFixed(2)),
  ];
}

export const tableRow = (cells: readonly string[]): string => `| ${cells.join(" | ")} |`;

export const tableText = (heads: readonly string[], rows: readonly string[]): string =>
  [tableRow(heads), tableRow(heads.map(() => "---")), ...rows].join("\n");
