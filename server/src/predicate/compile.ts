import type { SharedReads } from "../evidence/labels/sharedReads.ts";
import { checkExpression, type Params } from "./check.ts";
import type { Facts } from "./facts.ts";
import { evidencePlace, sharedSql, toSql } from "./toSql.ts";
import { decideByOutcome } from "./knownOutcome.ts";
import { needTranscript } from "./knownTranscript.ts";
import { toClosure } from "./toClosure.ts";
import { fieldsOf, neededFields } from "./fields.ts";
import type { PredicateProblem, Scope, Value } from "./types.ts";

/** A condition in both of its forms. */
export interface Predicate {
  /** DuckDB SQL over `rollouts r`, `features f`, `actions a`, in the scope of a turn `turns t`, over groups `groups g`. */
  readonly sql: string;
  /** The same for many conditions at once, over the columns of what they read together, as what has to hold all together. */
  readonly sharedSql: (reads: SharedReads) => readonly string[];
  /** In the scope of a turn, its place among the evidence of what many conditions read together. */
  readonly evidencePlace: (reads: SharedReads) => number;
  /** Fields of the evidence contract that it reads, sorted. */
  readonly fields: readonly string[];
  /** Those of them without which it is never true, sorted. */
  readonly needs: readonly string[];
  /** The same in memory: true, false, or null where it has no value. `at` is the turn, in the scope of one. */
  readonly test: (facts: Facts, at?: number) => boolean | null;
}

export type PredicateResult =
  | { readonly ok: true; readonly predicate: Predicate }
  | { readonly ok: false; readonly problems: readonly PredicateProblem[] };

/** The latest results by what they were made of: several checks of one spec ask for the same, and so does the next letter. */
const latest = new Map<string, PredicateResult>();
const mostLatest = 200;

/** Compiles a condition. Never throws on bad input; every problem carries its range in the text. */
export function compilePredicate(
  text: string,
  scope: Scope = "rollout",
  params: Params = {},
): PredicateResult {
  const key = `${scope}\n${JSON.stringify(params)}\n${text}`;
  const known = latest.get(key);
  if (known) return known;
  const result = compiled(text, scope, params);
  latest.set(key, result);
  for (const first of latest.keys())
    if (latest.size > mostLatest) latest.delete(first);
    else break;
  return result;
}

function compiled(text: string, scope: Scope, params: Params): PredicateResult {
  const checked = checkExpression(text, scope, params);
  if (!checked.ok) return checked;
  const said = decideByOutcome(checked.expr);
  const expr = scope === "rollout" ? needTranscript(said) : said;
  if (expr.type !== "bool") {
    const message = "A condition must be true or false; this is something else.";
    return { ok: false, problems: [{ start: 0, end: text.length, message }] };
  }
  const run = toClosure(expr);
  return {
    ok: true,
    predicate: {
      sql: scope === "version" ? "" : toSql(expr),
      sharedSql: (reads) => sharedSql(expr, reads),
      evidencePlace: (reads) => evidencePlace(expr, reads),
      fields: [...fieldsOf(said)].sort(),
      needs: [...neededFields(said, true)].sort(),
      test: (facts, at) => conditionOf(run(facts, at)),
    },
  };
}

const conditionOf = (value: Value): boolean | null => (typeof value === "boolean" ? value : null);
