import type { LabelCount } from "../../../shared/ledger/measures.ts";
import type { DiagnosticSpec } from "../../../shared/spec/diagnostic.ts";
import { policyTurnsSql } from "../evidence/contract/features.ts";
import { ensureDerived } from "../evidence/store/derived.ts";
import { numberOf, stringOf } from "../evidence/store/rows.ts";
import { earnedSpread, lackingRewards, outcomesDiffer, toldRollouts } from "../evidence/queries/signals.ts";
import { scopeCondition, versionsOf, type EvidenceScope } from "../evidence/store/split.ts";
import type { Row, SqlFragment, Store } from "../evidence/archive/store.ts";
import { compilePredicate, type Predicate } from "../predicate/compile.ts";
import { unusable } from "./label/compileLabel.ts";

/** Whether all rollouts of a group have the outcome; NULL where an unknown one leaves it open, and of a single rollout. */
const allEnded = (outcome: "pass" | "fail"): string =>
  `CASE WHEN count(*) < 2 THEN NULL WHEN count(*) FILTER (outcome NOT IN ('${outcome}', 'unknown')) > 0 THEN FALSE
        WHEN count(*) FILTER (outcome = 'unknown') = 0 THEN TRUE END`;

/**
 * The groups of a scope as the table `groups` of a WITH clause, a column per variable of a group. Of the turns it
 * reads `features` and for the files `actions`, which have to be filled.
 */
export function groupTables(
  scope: EvidenceScope,
  { withFiles, withTurns }: { readonly withFiles: boolean; readonly withTurns: boolean },
): SqlFragment {
  const where = scopeCondition(scope);
  const key = `run, step, "group"`;
  const common = `len(list_intersect(a.files, b.files))::DOUBLE`;
  const files = `
    edited AS (
      SELECT s.run, s.step, s."group", s.rid, a.edited_files AS files
      FROM scoped s JOIN actions a ON a.rid = s.rid WHERE len(a.edited_files) > 0),
    alike AS (
      SELECT ${key}, avg(${common} / (len(a.files) + len(b.files) - ${common})) AS file_overlap
      FROM edited a JOIN edited b USING (${key}) WHERE a.rid < b.rid GROUP BY ${key}),`;
  return {
    sql: `scoped AS (
      SELECT r.rid, r.run, r.step, r.item, r."group", r.outcome, r.reward, r.tokens,
             ${withTurns ? policyTurnsSql : "NULL::BIGINT"} AS n_turns
      FROM rollouts r ${withTurns ? "JOIN features f ON f.rid = r.rid " : ""}WHERE ${where.sql}),${withFiles ? files : ""}
    ${toldRollouts},
    plain AS (
      SELECT ${key}, min(item) AS item, count(*) AS size,
             count(*) FILTER (outcome = 'pass') AS passes, count(*) FILTER (outcome = 'fail') AS fails,
             count(*) FILTER (outcome = 'unknown') AS unknowns,
             count(*) FILTER (outcome = 'pass') / nullif(count(*) FILTER (outcome <> 'unknown'), 0)::DOUBLE AS pass_rate,
             ${allEnded("pass")} AS all_passed, ${allEnded("fail")} AS all_failed,
             ${outcomesDiffer} AS outcomes_differ, CASE WHEN ${lackingRewards} = 0 THEN avg(reward) END AS reward_mean,
             ${earnedSpread} AS reward_std, min(reward) AS reward_min,
             max(reward) AS reward_max, avg(tokens) AS tokens_mean, avg(n_turns) AS turns_mean
      FROM told GROUP BY ${key}),
    groups AS (
      SELECT plain.*, ${withFiles ? "alike.file_overlap" : "NULL::DOUBLE AS file_overlap"}
      FROM plain ${withFiles ? `LEFT JOIN alike USING (${key})` : ""})`,
    params: where.params,
  };
}

/**
 * Counts the groups of a scope for which diagnostics over groups hold, in the given order: all are tried in one reading.
 * @throws HarnessError specInvalid
 */
export async function labelGroups(
  store: Store,
  specs: readonly DiagnosticSpec[],
  scope: EvidenceScope,
): Promise<Omit<LabelCount, "alert">[]> {
  if (specs.length === 0) return [];
  const [row = {}] = await countGroups(store, specs, scope, { byItem: false });
  return specs.map((spec, i) => ({
    name: spec.name,
    over: "group",
    split: scope.split,
    severity: numberOf(row, `c${i}`) > 0 ? "critical" : spec.label.severity,
    labelled: numberOf(row, `n${i}`),
    rollouts: numberOf(row, "groups"),
    undecided: numberOf(row, `u${i}`),
    invalidates: false,
  }));
}

/** Of one diagnostic over groups: how many groups of each item it holds for. @throws HarnessError specInvalid */
export async function labelledGroupsByItem(
  store: Store,
  spec: DiagnosticSpec,
  scope: EvidenceScope,
): Promise<{ item: string; labelled: number; decided: number; rollouts: number }[]> {
  const rows = await countGroups(store, [spec], scope, { byItem: true });
  return rows.map((row) => {
    const rollouts = numberOf(row, "groups");
    return {
      item: stringOf(row, "item"),
      labelled: numberOf(row, "n0"),
      decided: rollouts - numberOf(row, "u0"),
      rollouts,
    };
  });
}

/** A row for all groups of a scope, or for those of each item: how many there are, hold (n), are undecided (u) and critical (c). */
async function countGroups(
  store: Store,
  specs: readonly DiagnosticSpec[],
  scope: EvidenceScope,
  { byItem }: { readonly byItem: boolean },
): Promise<readonly Row[]> {
  const compiled = specs.map(compileGroup);
  const reads = (field: string): boolean =>
    compiled.some(({ when, critical }) => [when, critical].some((p) => p?.fields.includes(field) === true));
  const withFiles = reads("turns.args");
  const withTurns = reads("turns");
  if (withTurns) await ensureDerived(store, "features");
  if (withFiles) await ensureDerived(store, "actions");
  const tables = groupTables(scope, { withFiles, withTurns });
  const verdicts = compiled.map(
    ({ when, critical }, i) => `(${when.sql}) AS v${i}, (${critical?.sql ?? "FALSE"}) AS w${i}`,
  );
  const counts = compiled.map(
    (_, i) =>
      `count(*) FILTER (v${i}) AS n${i}, count(*) FILTER (v${i} IS NULL) AS u${i}, count(*) FILTER (v${i} AND w${i}) AS c${i}`,
  );
  const item = byItem ? "item, " : "";
  return store.query({
    sql: `WITH ${tables.sql}
          SELECT ${item}count(*) AS groups, ${counts.join(", ")}
          FROM (SELECT ${item}${verdicts.join(", ")} FROM groups g)${byItem ? " GROUP BY item ORDER BY item" : ""}`,
    params: tables.params,
    of: versionsOf(scope),
  });
}

/** @throws HarnessError specInvalid */
export function compileGroup(spec: DiagnosticSpec): {
  readonly when: Predicate;
  readonly critical: Predicate | undefined;
} {
  const { label, params } = spec;
  const when = compilePredicate(label.when ?? "", "group", params);
  if (!when.ok) throw unusable(spec, "when", when.problems);
  if (label.critical === undefined) return { when: when.predicate, critical: undefined };
  const critical = compilePredicate(label.critical, "group", params);
  if (!critical.ok) throw unusable(spec, "critical", critical.problems);
  return { when: when.predicate, critical: critical.predicate };
}
