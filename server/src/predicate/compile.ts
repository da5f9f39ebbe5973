import { checkExpression, type Params } from "./check.ts";
import type { Facts } from "./facts.ts";
import { toSql } from "./toSql.ts";
import { toClosure } from "./toClosure.ts";
import type { TurnColumns } from "./turnColumns.ts";
import { type Expr, partsOf } from "./expr.ts";
import type { PredicateProblem, Scope, Value } from "./types.ts";

/** A condition in both of its forms. */
export interface Predicate {
  /** DuckDB SQL over `rollouts r`, `features f`, `actions a`, in the scope of a turn `turns t`, over groups `groups g`. */
  readonly sql: string;
  /** The same for many conditions at once: what it asks of all turns is added to `shared` and read from `q`. */
  readonly sharedSql: (shared: TurnColumns) => string;
  /** Fields of the evidence contract that it reads, sorted. */
  readonly fields: readonly string[];
  /** The same in memory: true, false, or null where it has no value. `at` is the turn, in the scope of one. */
  readonly test: (facts: Facts, at?: number) => boolean | null;
}

export type PredicateResult =
  | { readonly ok: true; readonly predicate: Predicate }
  | { readonly ok: false; readonly problems: readonly PredicateProblem[] };

/** Compiles a condition. Never throws on bad input; every problem carries its range in the text. */
export function compilePredicate(
  text: string,
  scope: Scope = "rollout",
  params: Params = {},
): PredicateResult {
  const checked = checkExpression(text, scope, params);
  if (!checked.ok) return checked;
  const { expr } = checked;
  if (expr.type !== "bool") {
    const message = "A condition is true or false; this gives something else.";
    return { ok: false, problems: [{ start: 0, end: text.length, message }] };
  }
  const run = toClosure(expr);
  return {
    ok: true,
    predicate: {
      sql: scope === "version" ? "" : toSql(expr),
      sharedSql: (shared) => toSql(expr, shared),
      fields: [...fieldsOf(expr)].sort(),
      test: (facts, at) => conditionOf(run(facts, at)),
    },
  };
}

const conditionOf = (value: Value): boolean | null => (typeof value === "boolean" ? value : null);

function fieldsOf(e: Expr, found = new Set<string>()): Set<string> {
  if (e.op === "variable" && e.variable.name !== "turns")
    for (const field of e.variable.fields) found.add(field);
  if (e.op === "turnField") for (const field of e.field.fields) found.add(field);
  if (e.op === "argument") found.add("turns.args");
  if (e.op === "component" || e.op === "hasComponent") found.add("components");
  if (e.op === "quantifier" || (e.op === "variable" && e.variable.name === "turns")) found.add("turns");
  if (e.op === "call") for (const field of e.definition.fields ?? []) found.add(field);
  for (const part of partsOf(e)) fieldsOf(part, found);
  return found;
}
