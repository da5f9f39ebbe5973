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
  const passed = medianOf(of("pass"));
  return (["pass", "fail"] as const).flatMap((outcome) => {
    const own = of(outcome);
    return own.length === 0 ? [] : [meanOf(spec, outcome, { rows: own, signals, passed })];
  });
}

/** The median of the recorded rewards; null where none was recorded. */
function medianOf(rows: readonly Row[]): number | null {
  const rewards = rows
    .flatMap((row) => {
      const reward = numberOrNull(row, "reward");
      return reward === null ? [] : [{ reward, n: numberOf(row, "n") }];
    })
    .sort((a, b) => a.reward - b.reward);
  const half = rewards.reduce((sum, { n }) => sum + n, 0) / 2;
  let below = 0;
  for (const { reward, n } of rewards) {
    below += n;
    if (below >= half) return reward;
  }
  return null;
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
