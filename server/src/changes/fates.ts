import type { LabelTally } from "../../../shared/model/labelShare.ts";
import type { DiagnosticSpec } from "../../../shared/spec/diagnostic.ts";
import { Outcome } from "../../../shared/model/rollout.ts";
import { numberOf, numberOrNull, stringOf, stringOrNull, stringsOf } from "../evidence/store/rows.ts";
import { SharedReads } from "../evidence/labels/sharedReads.ts";
import { versionsOf, type EvidenceScope } from "../evidence/store/split.ts";
import type { Store } from "../evidence/archive/store.ts";
import { verdictsOf } from "../evidence/labels/verdicts.ts";
import { usableLabel } from "../diagnosis/label/compileLabel.ts";

/** How one rollout ended, and what was seen in it. */
export interface Fate {
  readonly item: string;
  readonly seed: number | null;
  readonly sample: number;
  readonly outcome: Outcome;
  readonly stopReason: string | null;
  readonly labels: readonly string[];
  /** Labels whose condition has no value here: the rollout is neither labelled nor clear. */
  readonly undecided: readonly string[];
}

export interface Fates {
  readonly rollouts: readonly Fate[];
  /** Every label that was looked for, also those that nothing carries. */
  readonly labels: readonly string[];
}

/**
 * The rollouts of a version, labelled by the diagnostics as they are now without storing anything. Labels that were
 * stored by something else (an analyzer, a judge) are taken as they are; where a version carries none of such a label,
 * nobody knows whether it was looked for, so it is not listed.
 * @throws HarnessError specInvalid when a diagnostic does not compile
 */
export async function fatesOf(
  store: Store,
  scope: EvidenceScope & { readonly version: string },
  diagnostics: readonly DiagnosticSpec[],
): Promise<Fates> {
  const reads = new SharedReads();
  const conditions = diagnostics.map((spec) => usableLabel(spec).sharedWhen(reads));
  const columns = ["item", "seed", "sample", "outcome", "stop_reason"].map(
    (name) => `${reads.of("r", `r.${name}`)} AS ${name}`,
  );
  const verdicts = await verdictsOf(store, { scope, conditions, reads }, { columns });
  const rows = await store.query({
    sql: `WITH scoped AS (${verdicts.sql}), stored AS (
            SELECT rid, list(DISTINCT label ORDER BY label) AS labels FROM labels SEMI JOIN scoped USING (rid) GROUP BY rid
          )
          SELECT s.* EXCLUDE (rid), coalesce(l.labels, []::VARCHAR[]) AS stored
          FROM scoped s LEFT JOIN stored l USING (rid) ORDER BY s.item, s.seed, s.sample, s.rid`,
    params: verdicts.params,
    of: versionsOf(scope),
  });
  const names = diagnostics.map(({ name }) => name);
  const own = new Set(names);
  const foreign = new Set<string>();
  const rollouts = rows.map((row): Fate => {
    const stored = stringsOf(row, "stored").filter((label) => !own.has(label));
    for (const label of stored) foreign.add(label);
    return {
      item: stringOf(row, "item"),
      seed: numberOrNull(row, "seed"),
      sample: numberOf(row, "sample"),
      outcome: Outcome.parse(row["outcome"]),
      stopReason: stringOrNull(row, "stop_reason"),
      labels: [...names.filter((_, i) => row[`v${i}`] === true), ...stored],
      undecided: names.filter((_, i) => row[`v${i}`] === null),
    };
  });
  return { rollouts, labels: [...own, ...foreign].sort() };
}

/** How many of the rollouts carry a label that was looked for, and of how many its condition has no value. */
export const tallyOf = ({ rollouts }: Fates, label: string): LabelTally => ({
  rollouts: rollouts.length,
  labelled: rollouts.filter(({ labels }) => labels.includes(label)).length,
  undecided: rollouts.filter(({ undecided }) => undecided.includes(label)).length,
});

/** How often one label holds in the rollouts of an item. */
export interface ItemLabels {
  readonly item: string;
  readonly labelled: number;
  /** Rollouts for which the label's condition has a value. */
  readonly decided: number;
  readonly rollouts: number;
}

/** The rollouts counted by item; null for a label that was not looked for. */
export function itemLabels(fates: Fates, label: string): ItemLabels[] | null {
  if (!fates.labels.includes(label)) return null;
  const items = new Map<string, { item: string; labelled: number; decided: number; rollouts: number }>();
  for (const { item, labels, undecided } of fates.rollouts) {
    const tally = items.get(item) ?? { item, labelled: 0, decided: 0, rollouts: 0 };
    items.set(item, tally);
    tally.rollouts++;
    if (!undecided.includes(label)) tally.decided++;
    if (labels.includes(label)) tally.labelled++;
  }
  return [...items.values()];
}
