import type { Store } from "../../evidence/archive/store.ts";
import { numberOf, stringOf } from "../../evidence/store/rows.ts";
import { scopeCondition, type EvidenceScope } from "../../evidence/store/split.ts";

const mostNames = 6;

/**
 * Why the rollouts of one step show no reward or are not judged, and what to do, in sentences: TRL, for instance, logs several
 * reward functions without their weights.
 */
export async function unjudgedNotes(
  store: Store,
  scope: EvidenceScope & { readonly atStep: number },
  passWhen: string | undefined,
): Promise<string[]> {
  const where = scopeCondition(scope);
  const [row] = await store.query({
    sql: `SELECT count(*) AS rollouts, count(r.reward) AS rewards, count(*) FILTER (r.outcome <> 'unknown') AS judged
          FROM rollouts r WHERE ${where.sql}`,
    params: where.params,
  });
  if (row === undefined || numberOf(row, "rollouts") === 0 || numberOf(row, "rewards") > 0) return [];
  const names = (
    await store.query({
      sql: `SELECT DISTINCT unnest(map_keys(r.components)) AS name FROM rollouts r WHERE ${where.sql}
            ORDER BY name LIMIT ${mostNames}`,
      params: where.params,
    })
  ).map((named) => stringOf(named, "name"));
  const [first] = names;
  if (first === undefined) return [];
  const why = `No rollout of step ${scope.atStep} has a reward: it has the components ${names.join(", ")}, and nothing says how they add up.`;
  if (numberOf(row, "judged") > 0) return [why];
  const judged = passWhen === undefined ? "" : ` \`${passWhen}\` judges none of them.`;
  return [`${why}${judged} Say what counts as solved by a component: --pass-when '${member(first)} >= 1'.`];
}

const member = (name: string): string =>
  /^[A-Za-z_]\w*$/.test(name) ? `components.${name}` : `components[${JSON.stringify(name)}]`;
