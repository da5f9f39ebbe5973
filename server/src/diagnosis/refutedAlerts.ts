import type { LabelCount } from "../../../shared/ledger/measures.ts";
import type { DiagnosticSpec } from "../../../shared/spec/diagnostic.ts";
import { scopeCondition, type EvidenceScope } from "../evidence/store/split.ts";
import { numberOf, stringOf } from "../evidence/store/rows.ts";
import type { Store } from "../evidence/archive/store.ts";
import { newcombe, wilson } from "../statistics/intervals/proportions.ts";

/** Fewer passes with a label than this refute nothing. */
const leastPasses = 5;

interface Split {
  readonly labelled: number;
  readonly rollouts: number;
}

/**
 * Whether the passes of a version refute an alert: they are above its threshold themselves, and the failures are not more so.
 * What is undecided counts against that, on both sides.
 */
export function isRefuted(
  { passes, fails, undecided }: { passes: Split; fails: Split; undecided: number },
  above: number,
): boolean {
  if (passes.labelled < leastPasses) return false;
  const share = ({ labelled, rollouts }: Split, more = 0): { share: number; size: number } => ({
    share: Math.min(1, (labelled + more) / rollouts),
    size: rollouts,
  });
  if (wilson(share(passes)).low <= above) return false;
  return fails.rollouts === 0 || newcombe(share(passes), share(fails, undecided)).low <= 0;
}

/** The counts without the alerts that the version's passes refute; those say by how many passes. The labels have to be stored. */
export async function withoutRefuted(
  store: Store,
  specs: readonly DiagnosticSpec[],
  counts: readonly LabelCount[],
  scope: EvidenceScope,
): Promise<LabelCount[]> {
  const refutable = new Map(
    specs
      .filter(
        ({ over, label, alert }) =>
          over === "rollout" && !label.invalidates && alert !== undefined && alert.evenIfPassed !== true,
      )
      .map(({ name, alert }) => [name, alert?.above ?? 1]),
  );
  const asked = counts
    .filter(({ name, alert }) => alert !== null && refutable.has(name))
    .map(({ name }) => name);
  if (asked.length === 0) return [...counts];
  const ended = await endings(store, asked, scope);
  return counts.map((count) => {
    const found = ended.get(count.name);
    if (found === undefined || count.alert === null) return count;
    const above = refutable.get(count.name) ?? 1;
    if (!isRefuted({ ...found, undecided: count.undecided ?? 0 }, above)) return count;
    const { labelled, rollouts: passes } = found.passes;
    return { ...count, alert: null, refutedBy: { labelled, passes } };
  });
}

/** How many of the passes and of the failures carry each label. */
async function endings(
  store: Store,
  labels: readonly string[],
  scope: EvidenceScope,
): Promise<ReadonlyMap<string, { readonly passes: Split; readonly fails: Split }>> {
  const where = scopeCondition(scope);
  const count = (outcome: string): string => `count(*) FILTER (r.outcome = '${outcome}')`;
  const [all = {}] = await store.query({
    sql: `SELECT ${count("pass")} AS passes, ${count("fail")} AS fails FROM rollouts r WHERE ${where.sql}`,
    params: where.params,
  });
  const rows = await store.query({
    sql: `SELECT l.label, ${count("pass")} AS passes, ${count("fail")} AS fails
          FROM labels l JOIN rollouts r USING (rid) WHERE ${where.sql} AND l.label IN (SELECT unnest(?)) GROUP BY l.label`,
    params: [...where.params, [...labels]],
  });
  return new Map(
    rows.map((row) => [
      stringOf(row, "label"),
      {
        passes: { labelled: numberOf(row, "passes"), rollouts: numberOf(all, "passes") },
        fails: { labelled: numberOf(row, "fails"), rollouts: numberOf(all, "fails") },
      },
    ]),
  );
}
