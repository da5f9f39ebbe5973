import type { Store } from "../store/database.ts";
import { scopeCondition, versionsOf, type EvidenceScope } from "../store/split.ts";
import { numberOf } from "../store/rows.ts";
import type { TurnCondition } from "./turnConditions.ts";

/**
 * In an archive with more turns than this, reading them once more takes as long as the engine needs to prepare conditions for
 * nothing: a tenth of a second for those that are shipped, nearly all of it for regular expressions that no turn reaches.
 */
const mostTurns = 50_000;

/** What takes longer to prepare or to try than to find out that no turn reaches it. */
const isDear = (sql: string): boolean => /regexp|lambda|list_|json|call_|answers/.test(sql);

/** What has to hold of a turn before anything dear is asked of it. */
function guardOf({ conjuncts }: TurnCondition): string {
  const first = conjuncts.findIndex(({ sql }) => isDear(sql));
  const cheap = conjuncts.slice(0, first).map(({ sql }) => sql);
  const needs = conjuncts[first]?.needs ?? "";
  return [...cheap, ...(needs === "" || isDear(needs) ? [] : [needs])].join(" AND ");
}

/**
 * Conditions that no turn of a scope meets, because none is what they begin with: there is no call with arguments, say, or no
 * answer of a tool. None where it would take longer to find out than to try them.
 */
export async function unmetConditions(
  store: Store,
  scope: EvidenceScope,
  conditions: readonly TurnCondition[],
): Promise<ReadonlySet<TurnCondition>> {
  const unmet = new Set<TurnCondition>();
  const guarded = conditions.filter(({ conjuncts }) => conjuncts.some(({ sql }) => isDear(sql)));
  const guards = [...new Set(guarded.map(guardOf))].filter((guard) => guard !== "");
  if (guards.length === 0) return unmet;
  const [turns = {}] = await store.query({ sql: "SELECT count(*) AS n FROM turns", params: [] });
  if (numberOf(turns, "n") > mostTurns) return unmet;
  const where = scopeCondition(scope);
  const [row = {}] = await store.query({
    sql: `SELECT ${guards.map((guard, i) => `coalesce(bool_or(${guard}), FALSE) AS g${i}`).join(", ")}
          FROM turns x WHERE x.rid IN (SELECT r.rid FROM rollouts r WHERE ${where.sql})`,
    params: where.params,
    of: versionsOf(scope),
  });
  const never = new Set(guards.filter((_, i) => row[`g${i}`] !== true));
  for (const condition of guarded) if (never.has(guardOf(condition))) unmet.add(condition);
  return unmet;
}
