import { HarnessError, messageOf } from "../../base/errors.ts";
import type { Store } from "../store/database.ts";
import type { SqlFragment } from "../store/sql.ts";
import { listRollouts, type ListOptions, type RolloutSummary } from "./query.ts";
import { every } from "./rolloutFilter.ts";
import { numberOf, stringOf } from "../store/rows.ts";
import { expression, matches, type TextQuery } from "./textQuery.ts";

/** Characters of a snippet: before the hit, of the hit, and behind it. */
const snippetSize = { before: 40, hit: 120, after: 80 } as const;

/** A rollout that holds the text, with the first of its turns that does. */
export interface SearchHit extends RolloutSummary {
  /** Index of that turn. */
  readonly turn: number;
  /** The first hit in it with what stands around it. Untrusted text. */
  readonly snippet: { readonly before: string; readonly hit: string; readonly after: string };
}

export interface SearchPage {
  readonly hits: readonly SearchHit[];
  /** Cursor of the next page; absent on the last one. */
  readonly next?: string;
}

/**
 * One page of the rollouts of a filter that hold a text in one of their turns, in the order of `options`, the newest first
 * when it names none. The archive is read part by part until the page is full; `signal` ends it between two parts.
 * @throws HarnessError badInput for an empty text, a wrong expression or a foreign cursor, cancelled
 */
export async function searchRollouts(
  store: Store,
  options: ListOptions & { readonly text: TextQuery },
): Promise<SearchPage> {
  const { text, where } = options;
  const holds = await textCondition(store, text);
  const order = options.orderBy === undefined ? ({ orderBy: "arrival", descending: true } as const) : {};
  const { rollouts, next } = await listRollouts(store, {
    ...options,
    ...order,
    where: where === undefined ? holds : every([where, holds]),
  });
  const hits = await firstHits(store, text, rollouts);
  return next === undefined ? { hits } : { hits, next };
}

/** The condition that one of a rollout's turns holds the text. @throws HarnessError badInput for a wrong expression */
export async function textCondition(store: Store, text: TextQuery): Promise<SqlFragment> {
  await assertExpression(store, text);
  const match = matches(text, "t.text");
  return { sql: `r.rid IN (SELECT t.rid FROM turns t WHERE ${match.sql})`, params: match.params };
}

/** The rollouts with the first hit in each of them; all of them have one. */
export async function firstHits(
  store: Store,
  text: TextQuery,
  rollouts: readonly RolloutSummary[],
): Promise<SearchHit[]> {
  if (rollouts.length === 0) return [];
  const match = matches(text, "t.text");
  const lead = `((?s:.{0,${snippetSize.before}}?))${expression(text)}`;
  const rows = await store.query({
    sql: `WITH firsts AS (
            SELECT t.rid, arg_min(t.text, t.idx) AS text, min(t.idx) AS idx FROM turns t
            WHERE t.rid IN (${rollouts.map(({ rid }) => rid).join(", ")}) AND ${match.sql} GROUP BY t.rid
          ), hits AS (
            SELECT rid, idx, regexp_extract(text, $lead, 1) AS before, regexp_extract(text, $lead) AS upto,
                   regexp_extract(text, $whole) AS whole FROM firsts)
          SELECT rid, idx, before, left(substr(upto, length(before) + 1), ${snippetSize.hit}) AS hit,
                 left(substr(whole, length(upto) + 1), ${snippetSize.after}) AS after FROM hits`
      .replaceAll("$lead", "?")
      .replaceAll("$whole", "?"),
    params: [...match.params, lead, lead, `${lead}(?s:.{0,${snippetSize.after}})`],
  });
  const found = new Map(rows.map((row) => [numberOf(row, "rid"), row]));
  return rollouts.map((rollout) => {
    const row = found.get(rollout.rid);
    if (row === undefined) throw new Error(`Rollout ${rollout.rid} was found and then was not.`);
    const snippet = {
      before: stringOf(row, "before"),
      hit: stringOf(row, "hit"),
      after: stringOf(row, "after"),
    };
    return { ...rollout, turn: numberOf(row, "idx"), snippet };
  });
}

/** The engine itself says whether it takes an expression. */
async function assertExpression(store: Store, text: TextQuery): Promise<void> {
  if (text.kind === "literal" || text.pattern === "") return;
  try {
    await store.query({ sql: "SELECT regexp_matches('', ?)", params: [expression(text)] });
  } catch (e) {
    throw new HarnessError(
      "badInput",
      `/${text.pattern}/ is not a regular expression of RE2: ${messageOf(e).replace(/^Invalid Input Error: /, "")}; without slashes EvoTrainer searches for the text as it is.`,
      { cause: e },
    );
  }
}
