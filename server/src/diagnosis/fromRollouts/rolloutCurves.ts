import type { Store } from "../../evidence/archive/store.ts";
import { toldRollouts } from "../../evidence/queries/signals.ts";
import { numberOf, numberOrNull, stringOf } from "../../evidence/store/rows.ts";
import type { SqlFragment } from "../../evidence/store/sql.ts";
import { scopeCondition, versionsOf, type EvidenceScope } from "../../evidence/store/split.ts";
import type { MetricFacts } from "../../predicate/facts.ts";
import { meanOf } from "../../statistics/curves.ts";
import { onCommonSteps } from "./joinRuns.ts";

/** What rollouts say of a training step, by what the field calls the metric that a trainer would have logged. */
const quantities = {
  score: "pass rate of the rollouts",
  reward: "mean reward of the rollouts",
  response_length: "mean length of the rollouts",
  truncated: "share of rollouts at the limit of length",
} as const;
type Quantity = keyof typeof quantities;
const isQuantity = (name: string): name is Quantity => Object.hasOwn(quantities, name);

/** A curve of fewer steps is none, and no diagnostic of curves reads it. */
const fewestSteps = 10;
/** Of the rollouts of a step, the share of which has to be known what the curve is about. */
const known = 0.5;

/** What the words of the field for a response that was cut off at its limit begin with (stop-truncation and stop-max-tokens). */
const cutOff =
  "^(truncat|length$|max_(output_|new_|completion_)?(tokens|length)|token_?limit|context|exit_context|submitted \\(exit_context)";

/** What a rollout ends with whose grader or sandbox failed (verifier-error): it says nothing about the policy, whatever its outcome. */
const broke =
  "(verifier|grader|evaluator|evaluation|scorer|judge|reward|harness)[ _-]?(error|crash)|(sandbox|container|env(ironment)?)[ _-]?(error|fail|crash|lost)|internalservererror|apierror|docker|infrastructure|badgateway|ratelimit|service_?unavailable";

/** Of one quantity in one step of one run; `squares` are those of the means of its groups around their mean. */
interface StepSums {
  readonly run: string;
  readonly step: number;
  readonly n: number;
  readonly sum: number;
  readonly groups: number;
  readonly squares: number;
  readonly degrees: number;
}

/**
 * The curves that the rollouts of a version give, for a run that does not log them: the pass rate, the mean reward, the mean length
 * and the share at the limit, step by step. Of the training split where that has ten steps or more, else of the selection split; no
 * curve where there are fewer, and none that never varies, because what is the same in all rollouts the labels of rollouts say.
 */
export async function rolloutCurves(
  store: Store,
  version: string,
  asked: readonly string[],
): Promise<ReadonlyMap<string, MetricFacts>> {
  const curves = new Map<string, MetricFacts>();
  const wanted = new Set(asked.filter(isQuantity));
  const scope = wanted.size === 0 ? undefined : await steppedScope(store, version);
  if (scope === undefined) return curves;
  const byQuantity = new Map<Quantity, StepSums[]>();
  for (const row of await store.query(await sumsOf(store, scope, wanted))) {
    const name = stringOf(row, "quantity");
    if (!isQuantity(name)) continue;
    const sums = byQuantity.get(name) ?? [];
    byQuantity.set(name, sums);
    sums.push({
      run: stringOf(row, "run"),
      step: numberOf(row, "step"),
      n: numberOf(row, "n"),
      sum: numberOf(row, "sum"),
      groups: numberOf(row, "groups"),
      squares: numberOrNull(row, "squares") ?? 0,
      degrees: Math.max(0, numberOf(row, "groups") - 1),
    });
  }
  for (const [name, sums] of byQuantity) {
    const curve = curveOf(quantities[name], sums);
    if (curve !== undefined) curves.set(name, curve);
  }
  return curves;
}

/** Where a version has rollouts of so many steps that they make a curve. */
async function steppedScope(store: Store, version: string): Promise<EvidenceScope | undefined> {
  for (const split of ["train", "selection"] as const) {
    const scope = { split, version } as const;
    const where = scopeCondition(scope);
    const [row = {}] = await store.query({
      sql: `SELECT count(DISTINCT r.step) AS steps FROM rollouts r WHERE ${where.sql}`,
      params: where.params,
      of: [version],
    });
    if (numberOf(row, "steps") >= fewestSteps) return scope;
  }
  return undefined;
}

async function sumsOf(
  store: Store,
  scope: EvidenceScope,
  wanted: ReadonlySet<Quantity>,
): Promise<SqlFragment> {
  const where = scopeCondition(scope);
  const [facts = {}] = await store.query({
    sql: `SELECT count(*) AS n, count(r.tokens) AS tokens, count(r.stop_reason) AS stops, coalesce(max(r.tokens), 0) AS longest,
                 count(*) FILTER (r.outcome = 'pass') AS passes, count(*) FILTER (r.outcome = 'fail') AS fails
          FROM rollouts r WHERE ${where.sql}`,
    params: where.params,
    of: versionsOf(scope),
  });
  const isMost = (name: string): boolean => numberOf(facts, name) >= known * numberOf(facts, "n");
  const isCounted = isMost("tokens") || !wanted.has("response_length");
  const longest = numberOf(facts, "longest");
  const cut = isMost("stops")
    ? `CASE WHEN r.stop_reason IS NOT NULL THEN regexp_matches(lower(r.stop_reason), '${cutOff}')::INTEGER END`
    : wanted.has("truncated") && (await isLimit(store, scope, longest))
      ? `(r.tokens = ${longest})::INTEGER`
      : "NULL";
  const values: Record<Quantity, string> = {
    // Where nothing ever passes, or all does, the rewards say more.
    score:
      numberOf(facts, "passes") > 0 && numberOf(facts, "fails") > 0
        ? "CASE WHEN broke THEN NULL WHEN outcome = 'pass' THEN 1.0 WHEN outcome = 'fail' THEN 0.0 END"
        : "NULL",
    reward: "CASE WHEN is_earned AND NOT broke THEN reward END",
    response_length: "length",
    truncated: "cut",
  };
  const each = [...wanted].map(
    (name) => `SELECT '${name}' AS quantity, run, step, g, (${values[name]})::DOUBLE AS x FROM told`,
  );
  return {
    sql: `WITH scoped AS (SELECT r.run, r.step, r."group" AS g, r.outcome, r.reward, ${isCounted ? "r.tokens" : "w.letters"} AS length,
                                 ${cut} AS cut, coalesce(regexp_matches(lower(r.stop_reason), '${broke}'), FALSE) AS broke
                          FROM rollouts r ${isCounted ? "" : lettersOf(where.sql)} WHERE ${where.sql}),
               ${toldRollouts},
               long AS (${each.join(" UNION ALL ")}),
               grouped AS (SELECT quantity, run, step, g, count(*) AS every, count(x) AS n, sum(x) AS sum, avg(x) AS mean
                           FROM long WHERE x IS NULL OR isfinite(x) GROUP BY ALL)
          SELECT quantity, run, step, sum(n)::BIGINT AS n, sum(sum)::DOUBLE AS sum, count(mean) AS groups,
                 var_samp(mean) * (count(mean) - 1) AS squares
          FROM grouped GROUP BY quantity, run, step HAVING sum(n) >= ${known} * sum(every) AND sum(n) > 0
          ORDER BY quantity, step, run`,
    params: [...(isCounted ? [] : where.params), ...where.params],
    of: versionsOf(scope),
  };
}

/** Where nobody counted tokens, the texts of the policy show as well whether it writes less; one that was trimmed says nothing. */
const lettersOf = (where: string): string =>
  `LEFT JOIN (SELECT t.rid, CASE WHEN count(t.text) = count(*) THEN sum(length(t.text)) END AS letters
              FROM turns t JOIN rollouts r ON r.rid = t.rid WHERE ${where} AND t.role = 'assistant' GROUP BY t.rid) w
   ON w.rid = r.rid`;

/** Whether the largest number of tokens is a limit: many rollouts have it, and few come near it without. */
async function isLimit(store: Store, scope: EvidenceScope, longest: number): Promise<boolean> {
  if (longest < 64) return false;
  const where = scopeCondition(scope);
  const [row = {}] = await store.query({
    sql: `SELECT count(*) FILTER (r.tokens = ${longest}) AS at, count(*) FILTER (r.tokens >= ${0.9 * longest}) AS near
          FROM rollouts r WHERE ${where.sql}`,
    params: where.params,
  });
  return numberOf(row, "at") >= 10 && numberOf(row, "at") * 2 > numberOf(row, "near");
}

/** Fewer rollouts make no point of a curve: a window of five steps with one rollout each would be five rollouts. */
const fewestInPoint = 4;
/** As many tell enough, and a curve of as many points is told by windows of a fifth of it. */
const [enoughInPoint, enoughPoints] = [32, 25];

/** For how many steps a point stands: for more where the steps have few rollouts, as long as enough points are left. */
function stepsInPoint(steps: number, usual: number): number {
  const toReach = (rollouts: number): number => Math.ceil(rollouts / Math.max(1, usual));
  return Math.max(
    1,
    toReach(fewestInPoint),
    Math.min(toReach(enoughInPoint), Math.floor(steps / enoughPoints)),
  );
}

/**
 * The curve of step means. A step with fewer than half the usual number of rollouts, such as one that is not over, is left out; where
 * steps have few rollouts, a point stands for several of them and has the number of the last.
 */
function curveOf(name: string, sums: readonly StepSums[]): MetricFacts | undefined {
  const bySteps = new Map<number, StepSums>();
  for (const one of onCommonSteps(sums)) {
    const so = bySteps.get(one.step);
    bySteps.set(one.step, so === undefined ? one : added(so, one));
  }
  const all = [...bySteps.values()];
  const usual = medianOf(all.map(({ n }) => n));
  const whole = all.filter(({ n }) => n * 2 >= usual);
  const kept = joined(whole, stepsInPoint(whole.length, usual));
  const values = kept.map(({ sum, n }) => sum / n);
  if (kept.length < fewestSteps || values.every((value) => value === values[0])) return undefined;
  return {
    name,
    steps: kept.map(({ step }) => step),
    values,
    errors: errorsOf(kept, values),
    rollouts: kept.reduce((total, { n }) => total + n, 0),
  };
}

/** So many steps in a row together; what is left over comes first, so that the last point is a whole one. */
function joined(steps: readonly StepSums[], size: number): StepSums[] {
  if (size === 1) return [...steps];
  const points: StepSums[] = [];
  for (let end = steps.length; end >= size; end -= size)
    points.unshift(steps.slice(end - size, end).reduce((a, b) => added(a, b)));
  return points;
}

const added = (a: StepSums, b: StepSums): StepSums => ({
  run: a.run,
  step: b.step,
  n: a.n + b.n,
  sum: a.sum + b.sum,
  groups: a.groups + b.groups,
  squares: a.squares + b.squares,
  degrees: a.degrees + b.degrees,
});

/**
 * The standard error of each step's mean. The rollouts of a group answer one task and resemble each other, so that groups are
 * counted; how much their means differ is taken over all steps, because a single step in which all fail shows no spread. Where a
 * step has one group, the steps beside each other show it.
 */
function errorsOf(kept: readonly StepSums[], values: readonly number[]): number[] {
  const degrees = kept.reduce((total, one) => total + one.degrees, 0);
  if (degrees > 0) {
    const squares = kept.reduce((total, one) => total + one.squares, 0);
    return kept.map(({ groups }) => Math.sqrt(squares / degrees / groups));
  }
  const differences = values.slice(1).map((value, i) => (value - (values[i] ?? 0)) ** 2);
  const ofStep = meanOf(differences) / 2;
  const usual = medianOf(kept.map(({ groups }) => groups));
  return kept.map(({ groups }) => Math.sqrt((ofStep * usual) / groups));
}

const medianOf = (values: readonly number[]): number =>
  values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0;
