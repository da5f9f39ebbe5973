import { isPaidFailure, rewardParts } from "../../../shared/reward/rewardParts.ts";
import { activeTerms } from "../../../shared/reward/reward.ts";
import type { RewardSpec } from "../../../shared/spec/reward.ts";
import type { RewardMeans } from "../../../shared/protocol/results/shift.ts";
import { numberOf, numberOrNull, stringOf } from "../evidence/store/rows.ts";
import { scopeCondition, type EvidenceScope } from "../evidence/store/split.ts";
import type { Row } from "../evidence/store/sql.ts";
import type { Store } from "../evidence/archive/store.ts";

type OfOutcome = RewardMeans["outcomes"][number];

/**
 * What a reward gives the passed and the failed rollouts of a scope on the mean, term by term; outcomes without a rollout are
 * left out. Rollouts with the same signals are read as one row.
 */
export async function rewardMeans(
  store: Store,
  spec: RewardSpec,
  scope: EvidenceScope,
): Promise<OfOutcome[]> {
  const signals = [...new Set(activeTerms(spec).map(({ signal }) => signal))];
  const where = scopeCondition(scope);
  const rows = await store.query({
    sql: `SELECT r.outcome::VARCHAR AS outcome, r.reward AS reward, count(*) AS n${signals.map((_, i) => `, r.components[?] AS s${i}`).join("")}
          FROM rollouts r WHERE ${where.sql} AND r.outcome <> 'unknown' GROUP BY ALL`,
    params: [...signals, ...where.params],
  });
  const of = (outcome: string): readonly Row[] => rows.filter((row) => stringOf(row, "outcome") === outcome);
  const passed = await passedReward(store, scope);
  return (["pass", "fail"] as const).flatMap((outcome) => {
    const own = of(outcome);
    return own.length === 0 ? [] : [meanOf(spec, outcome, { rows: own, signals, passed })];
  });
}

/** The median reward of the passed rollouts of a scope, which what a failure got is held against; null where none has one. */
export async function passedReward(store: Store, scope: EvidenceScope): Promise<number | null> {
  const where = scopeCondition(scope);
  const [row = {}] = await store.query({
    sql: `SELECT median(r.reward) AS passed FROM rollouts r WHERE ${where.sql} AND r.outcome = 'pass'`,
    params: where.params,
  });
  return numberOrNull(row, "passed");
}

function meanOf(
  spec: RewardSpec,
  outcome: OfOutcome["outcome"],
  {
    rows,
    signals,
    passed,
  }: { readonly rows: readonly Row[]; readonly signals: readonly string[]; readonly passed: number | null },
): OfOutcome {
  const terms = new Map(activeTerms(spec).map(({ name }) => [name, { sum: 0, of: 0 }]));
  const reward = { sum: 0, of: 0 };
  let [rollouts, paid] = [0, 0];
  for (const row of rows) {
    const n = numberOf(row, "n");
    const recorded = numberOrNull(row, "reward");
    const has = signals.flatMap((signal, i) => {
      const value = numberOrNull(row, `s${i}`);
      return value === null ? [] : [[signal, value] as const];
    });
    const parts = rewardParts(spec, Object.fromEntries(has));
    rollouts += n;
    if (recorded !== null) addTo(reward, recorded, n);
    if (isPaidFailure(outcome, recorded, { parts, passed })) paid += n;
    for (const { name, adds } of parts) {
      const term = terms.get(name);
      if (adds !== null && term !== undefined) addTo(term, adds, n);
    }
  }
  return {
    outcome,
    rollouts,
    paid,
    reward: meanIn(reward),
    terms: [...terms].map(([name, sum]) => ({ name, adds: meanIn(sum) })),
  };
}

type Sum = { sum: number; of: number };

function addTo(sum: Sum, value: number, times: number): void {
  sum.sum += value * times;
  sum.of += times;
}

const meanIn = ({ sum, of }: Sum): number | null => (of === 0 ? null : sum / of);
