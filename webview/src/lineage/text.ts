import type { Decision, LineageVersion } from "../../../shared/protocol/lineage.ts";

const percent = (share: number) => (share * 100).toFixed(1);

/** `36.3 %` (with a space that does not break) or a dash. */
export const scoreText = ({ score }: LineageVersion) => (score === null ? "–" : `${percent(score)}\u00A0%`);

/** The interval: `± 3.2` where it is even to the last digit shown, its two ends where it is not. */
export function intervalText({ score, low, high }: LineageVersion): string {
  if (score === null || low === null || high === null) return "";
  const below = percent(score - low);
  const above = percent(high - score);
  return below === above ? `±\u00A0${above}` : `[${percent(low)}, ${percent(high)}]`;
}

export const decisionTexts: Readonly<Record<Decision, string>> = {
  base: "base",
  keep: "kept",
  reject: "rejected",
  invalid: "invalid",
  edit: "edited",
  prune: "pruned",
  merge: "merged",
  revert: "reverted",
  pending: "pending",
};

/** What a screen reader says for a row: all that its columns show. */
export function rowLabel(version: LineageVersion): string {
  return [
    version.name,
    decisionTexts[version.decision],
    version.score === null ? "no score" : `${scoreText(version)} ${intervalText(version)}`.trim(),
    version.factor ?? "",
    version.title,
  ]
    .filter((part) => part !== "")
    .join(", ");
}

/** The labels that were found, with their share of the rollouts; those that were looked for in vain are left out. */
export const labelsText = ({ labels }: LineageVersion) =>
  labels
    .filter(({ rate }) => rate > 0)
    .map(({ name, rate }) => `${name} ${percent(rate)}\u00A0%`)
    .join(", ");
