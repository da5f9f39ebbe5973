import { distrustOf, type Distrust } from "../../../shared/model/distrust.ts";
import { ofGroups, shownShare } from "../../../shared/model/labelShare.ts";
import { groupsText } from "../../../shared/model/shareText.ts";
import type { Comparison } from "../../../shared/ledger/measures.ts";
import type { Diagnosed } from "../../../shared/protocol/results/diagnosed.ts";
import type { ShownVersion } from "../../../shared/protocol/views/version.ts";
import type { GroupShift } from "./labelTable.ts";

export type Known = {
  readonly version: ShownVersion;
  /** Of a version that the ledger has no evaluation of: what the diagnostics say now. */
  readonly diagnosed: Diagnosed | undefined;
};

export type Evidence = Pick<ShownVersion, "score" | "low" | "high" | "cleanScore" | "labels" | "signals">;

/** What is measured of a version: by the ledger, or by the diagnostics where it says nothing yet. */
export function evidenceOf({ version, diagnosed }: Known): Evidence {
  if (version.score !== null || !diagnosed) return version;
  const { score, cleanScore, labels, signals } = diagnosed;
  return {
    score: score?.value ?? null,
    low: score?.low ?? null,
    high: score?.high ?? null,
    cleanScore: cleanScore?.value ?? null,
    labels: labels.map((count) => ({
      ...{ name: count.name, alert: count.alert, ...shownShare(count) },
      ...ofGroups(count),
    })),
    signals,
  };
}

/** What makes a version not to be trusted: the ledger's word, or what the diagnostics say before anybody has decided. */
export function distrustIn({ version, diagnosed }: Known): Distrust | undefined {
  if (version.distrust !== undefined || diagnosed === undefined) return version.distrust;
  const { labels, cleanScore } = diagnosed;
  return distrustOf({ decision: version.decision, labels, cleanScore: cleanScore?.value ?? null });
}

/** Labels of groups that both versions were looked at for. */
export function groupShifts(a: Known | undefined, b: Known | undefined): GroupShift[] {
  if (a === undefined || b === undefined) return [];
  const before = evidenceOf(a).labels;
  return evidenceOf(b).labels.flatMap((label) => {
    const other = before.find(
      ({ name, split, over }) => over === "group" && name === label.name && split === label.split,
    );
    if (label.over !== "group" || label.rate === null || other === undefined || other.rate === null)
      return [];
    return [{ label: label.name, of: groupsText(label), a: other.rate, b: label.rate }];
  });
}

/** What a version was decided by beside another one, where it was: one difference has one interval on a page. */
export const decidedAgainst = (
  version: Pick<ShownVersion, "comparison"> | undefined,
  against: string,
): Comparison | undefined => (version?.comparison?.against === against ? version.comparison : undefined);

/** A version that was chosen; undefined where it is not shown any more. */
export const shownOr = (name: string | null, names: readonly string[]): string | undefined =>
  name !== null && names.includes(name) ? name : undefined;
