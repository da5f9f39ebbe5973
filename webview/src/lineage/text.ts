import { byAlert } from "../../../shared/model/alertOrder.ts";
import { isTrusted } from "../../../shared/model/isTrusted.ts";
import { foldedLabels, withAlso } from "../../../shared/model/foldedLabels.ts";
import { labelsFound } from "../../../shared/model/labelShare.ts";
import { decisionLooks, verdictLooks } from "../../../shared/words/decisions.ts";
import { decisionText } from "../../../shared/words/stages.ts";
import type { Decision, LineageVersion } from "../../../shared/protocol/views/lineage.ts";
import { countedText, marginText, percentText, pointsText } from "../shared/numbers.ts";

/** `36.3 %` (with a space that does not break), what another tool measured, or a dash. */
export const scoreText = ({ score, measured }: Pick<LineageVersion, "score" | "measured">) =>
  score === null ? (measured === "" ? "–" : measured) : percentText(score);

/** The interval: `± 3.2` where it is even to the last digit shown, its two ends where it is not. */
export function intervalText({ score, low, high }: Pick<LineageVersion, "score" | "low" | "high">): string {
  if (score === null || low === null || high === null) return "";
  return marginText(score, low, high);
}

/** What stands beside a score that does not count. */
export const voidText = (version: Pick<LineageVersion, "decision" | "cleanScore">): string => {
  if (isTrusted(version)) return "";
  return version.cleanScore === null
    ? " does not count"
    : ` does not count, ${percentText(version.cleanScore)} without what was found`;
};

/** `+0.2 points against its parent, inside the noise`: how it compares with the version that it was decided against; empty where it was not compared. */
const comparedText = ({ compared }: Pick<LineageVersion, "compared">): string =>
  compared === undefined
    ? ""
    : `${pointsText(compared.difference)} against its parent, ${verdictLooks[compared.verdict].word}`;

/** What a screen reader says for a row: all that its columns show. */
export function rowLabel(version: LineageVersion): string {
  return [
    version.name,
    version.alias ?? "",
    decisionText(version, "became"),
    version.score === null && version.measured === ""
      ? "no score"
      : `${scoreText(version)} ${intervalText(version)}`.trim() + voidText(version),
    comparedText(version),
    version.factor ?? "",
    labelsText(version),
    version.tags.map((tag) => `#${tag}`).join(" "),
    version.notes.length === 0 ? "" : countedText(version.notes.length, "note"),
    version.title,
  ]
    .filter((part) => part !== "")
    .join(", ");
}

/** The labels that were found, alerts first, with their share of the rollouts; those that were looked for in vain are left out. */
export const labelsText = ({ labels }: Pick<LineageVersion, "labels">) =>
  foldedLabels(labelsFound(labels).sort(byAlert))
    .map(
      ({ label: { name, rate, alert }, said }) =>
        `${name} ${percentText(rate)}${alert === null ? "" : ` (${alert})`}${withAlso("", said)}`,
    )
    .join(", ");

/** `4 versions tried together: 1 kept, 3 rejected`: what a folded generation holds. */
export function generationText(decisions: readonly Decision[]): string {
  const counts = new Map<Decision, number>();
  for (const decision of decisions) counts.set(decision, (counts.get(decision) ?? 0) + 1);
  const parts = [...counts].map(([decision, n]) => `${n} ${decisionLooks[decision].became}`);
  return `${countedText(decisions.length, "version")} tried together: ${parts.join(", ")}`;
}
