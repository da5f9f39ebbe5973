import { decisionText } from "../../../shared/words/stages.ts";
import { auditGapText } from "../../../shared/words/auditText.ts";
import { rulesDecide } from "../../../shared/words/decisions.ts";
import { counted, percent, percentWithin } from "../../../shared/words/numbers.ts";
import { shortName } from "../../../shared/words/shortName.ts";
import { stepsText } from "../../../shared/words/jobProgress.ts";
import type { LineageStanding, LineageVersion } from "../../../shared/protocol/views/lineage.ts";
import type { LineageTable } from "../../../shared/protocol/views/lineageTable.ts";
import type { LineageState } from "./lineageState.ts";

/** `36.3 % [33.0, 39.5]`, or what is known of it. */
export function scoreText({
  score,
  low,
  high,
  measured,
  decision,
}: Pick<LineageVersion, "score" | "low" | "high" | "measured" | "decision">): string {
  if (score === null) return measured;
  // A row of the side bar cannot strike a number through.
  if (decision === "invalid") return `${percent(score)} does not count`;
  return low === null || high === null ? percent(score) : percentWithin(score, low, high);
}

const joined = (parts: readonly string[]): string => parts.filter((part) => part !== "").join(" · ");

const noted = ({ tags, notes }: Pick<LineageVersion, "tags" | "notes">): string[] => [
  tags.map((tag) => `#${tag}`).join(" "),
  notes.length === 0 ? "" : counted(notes.length, "note"),
];

/**
 * The line beside a version's short name in the side bar. A narrow side bar cuts off its end, so that the score and the decision
 * come first, and the interval is on hover.
 */
export function rowDescription(version: LineageVersion): string {
  const { name, score, alias, factor } = version;
  const rest = name.slice(shortName(name).length).replace(/^-/, "");
  const shown = score === null || version.decision === "invalid" ? scoreText(version) : percent(score);
  return joined([shown, decisionText(version), alias ?? "", rest, factor ?? "", ...noted(version)]);
}

/** What is heard of the row of a version: its whole name, then all that there is room for nowhere. */
export function rowSaid(version: LineageVersion): string {
  const { name, alias, factor } = version;
  const line = [alias ?? "", decisionText(version), scoreText(version), factor ?? "", ...noted(version)];
  return `${name}, ${joined(line)}`;
}

/** Gives the indices of the versions below one, or of the roots for -1. */
export type ChildIndex = (parent: number) => readonly number[];

/** Who is below whom, counted once. */
export function childrenOf(table: LineageTable): ChildIndex {
  const below = new Map<number, number[]>();
  for (let i = 0; i < table.total; i++) {
    if (table.known[i] !== 1) continue;
    const parent = table.parent[i] ?? -1;
    const known = parent >= 0 && table.known[parent] === 1 ? parent : -1;
    const list = below.get(known);
    if (list) list.push(i);
    else below.set(known, [i]);
  }
  return (parent) => below.get(parent) ?? [];
}

/** The best version that was kept: what the status bar names. */
export function bestVersion(table: LineageTable): LineageVersion | undefined {
  const best = table.bestKept();
  return best < 0 ? undefined : table.version(best);
}

const auditText = ({ audit }: LineageVersion): string =>
  audit === null ? "" : ` (audit ${percent(audit.score)}${auditGapText(audit.gap)})`;

/** So many names; the others are in the view that they wait in. */
const mostNames = 3;
const namesText = (names: readonly string[]): string =>
  `${names.slice(0, mostNames).map(shortName).join(", ")}${names.length > mostNames ? " …" : ""}`;

/** The line above the tree: the best version, what runs, what waits for a review, and what for no person. */
export function standingText(
  state: LineageState,
  { running, waiting, byRule = [] }: LineageStanding,
): string {
  const best = state.type === "lineage" ? bestVersion(state.table) : undefined;
  const first = running[0];
  const asked = waiting.filter((name) => !byRule.includes(name));
  return [
    best === undefined ? "" : `Best ${shortName(best.name)} ${percent(best.score ?? 0)}${auditText(best)}`,
    first === undefined
      ? ""
      : `${`running ${shortName(first.version)} ${stepsText(first.step, first.stepsTotal)}`.trimEnd()}${running.length > 1 ? ` and ${running.length - 1} more` : ""}`,
    asked.length === 0 ? "" : `needs review: ${namesText(asked)}`,
    byRule.length === 0 ? "" : `${rulesDecide}, not a person: ${namesText(byRule)}`,
  ]
    .filter((part) => part !== "")
    .join(" · ");
}

export function statusText(state: LineageState): { readonly text: string; readonly tooltip: string } {
  switch (state.type) {
    case "loading":
      return { text: "$(sync~spin) EvoTrainer", tooltip: "Reading the lineage" };
    case "empty": {
      const icon = state.reason === "stopped" || state.reason === "unreadable" ? "warning" : "git-branch";
      const suffix = state.reason === "untrusted" ? ": restricted" : "";
      return { text: `$(${icon}) EvoTrainer${suffix}`, tooltip: `${state.cause} ${state.advice}` };
    }
    case "lineage": {
      const best = bestVersion(state.table);
      const { project, total } = state.table;
      const count = `${counted(total, "version")} of ${project}`;
      return best
        ? {
            text: `$(git-branch) ${best.name} ${percent(best.score ?? 0)}`,
            tooltip: `Best ${decisionText(best, "became")} of ${count}. Show the lineage.`,
          }
        : { text: `$(git-branch) ${project}`, tooltip: `${count}; none kept yet. Show the lineage.` };
    }
  }
}
