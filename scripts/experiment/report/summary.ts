import { arms } from "../arms.ts";
import { cellsOf, cellName, type ArmName, type DomainName, type Plan } from "../plan.ts";
import type { CellResult } from "../result.ts";
import {
  crossedDifference,
  meanRates,
  pairedRows,
  together,
  verdictOf,
  type Difference,
  type Verdict,
} from "./statistics.ts";
import { mean } from "../trainings.ts";

/** Worse by less than this counts as matched, as the plan says. */
export const margin = 0.02;

type Split = "audit" | "shifted";
/** harness: the chosen version on fresh seeds. policy: what is delivered. */
type Of = "harness" | "policy";

/** A plan besides the one that the page is about, and what has been run of it. */
export interface OtherRun {
  readonly plan: Plan;
  readonly results: readonly CellResult[];
}

export interface ArmSummary {
  readonly domain: DomainName;
  readonly arm: ArmName;
  readonly title: string;
  readonly seeds: number;
  readonly selection: number;
  readonly scores: Readonly<Record<Of, Readonly<Record<Split, number | null>>>>;
  /** Of each seed: the audit score of the harness, or of the policy where there is no harness. */
  readonly bySeed: readonly number[];
  readonly trainings: number;
  readonly kept: number;
  readonly held: number;
  readonly claims: number;
  /** Searches whose chosen version has a leak open, and kept versions with one. */
  readonly invalidChosen: number;
  readonly invalidKept: number;
}

export interface Contrast {
  readonly domain: DomainName;
  readonly against: ArmName;
  readonly of: Of;
  readonly split: Split;
  readonly result: Difference | null;
  readonly verdict: Verdict | null;
}

export interface Summary {
  readonly missing: readonly string[];
  readonly arms: readonly ArmSummary[];
  readonly contrasts: readonly Contrast[];
  /** How often each setting was in the chosen version, by domain. */
  readonly retained: readonly {
    readonly domain: DomainName;
    readonly setting: string;
    readonly seeds: number;
  }[];
}

/** Item rates of what an arm chose; null where it has none. */
function ratesOf(result: CellResult, of: Of, split: Split): readonly number[] | null {
  if (of === "policy") return result.delivered[split];
  return result.fresh.length === 0 ? null : meanRates(result.fresh.map((one) => one[split]));
}

/** Everything that the report says, from the raw results alone. Pure. */
export function summarise(plan: Plan, results: readonly CellResult[]): Summary {
  const known = new Map(results.map((one) => [cellName(one), one]));
  const missing = cellsOf(plan)
    .map(cellName)
    .filter((name) => !known.has(name));
  const of = (domain: DomainName, arm: ArmName): CellResult[] =>
    plan.seeds.flatMap((seed) => known.get(cellName({ domain, arm, seed })) ?? []);
  const summaries = plan.domains.flatMap((domain) =>
    plan.arms.flatMap((arm) => {
      const own = of(domain, arm);
      return own.length === 0 ? [] : [armSummary(domain, arm, own)];
    }),
  );
  return {
    missing,
    arms: summaries,
    contrasts: contrastsOf(plan, of),
    retained: plan.domains.flatMap((domain) => retainedIn(domain, of(domain, "evotrainer"))),
  };
}

function armSummary(domain: DomainName, arm: ArmName, own: readonly CellResult[]): ArmSummary {
  const score = (what: Of, split: Split): number | null => {
    const all = own.flatMap((one) => {
      const rates = ratesOf(one, what, split);
      return rates === null ? [] : [mean(rates)];
    });
    return all.length === 0 ? null : mean(all);
  };
  const claims = own.flatMap((one) => one.claims);
  return {
    ...{ domain, arm, title: arms[arm].title, seeds: own.length },
    selection: mean(own.map(({ chosen }) => chosen.selection)),
    scores: {
      harness: { audit: score("harness", "audit"), shifted: score("harness", "shifted") },
      policy: { audit: score("policy", "audit"), shifted: score("policy", "shifted") },
    },
    bySeed: own.map((one) => mean(ratesOf(one, "harness", "audit") ?? one.delivered.audit)),
    trainings: mean(own.map(({ trainings }) => trainings)),
    kept: claims.length,
    held: claims.filter(holds).length,
    claims: claims.length,
    invalidChosen: own.filter(({ chosen }) => chosen.leaks.length > 0).length,
    invalidKept: claims.filter(({ leaks }) => leaks.length > 0).length,
  };
}

/** Means are stored with six digits; one rollout more or less moves them by more than this. */
const roundingOfMeans = 1e-5;

/** Whether a version is better than its parent on fresh seeds, on average, with every leak closed. */
export const holds = ({ own, ofParent }: Pick<CellResult["claims"][number], "own" | "ofParent">): boolean =>
  mean(own) - mean(ofParent) > roundingOfMeans;

/** What EvoTrainer is held against: the first two are the claim, and are corrected together over the domains. */
const primary = ["human", "score"] as const;
const others: readonly (readonly [ArmName, Of])[] = [
  ["baseline", "harness"],
  ["best-of-seeds", "policy"],
  ["random", "harness"],
  ["no-backtests", "harness"],
  ["frozen-diagnostics", "harness"],
  ["no-replication", "harness"],
  ["no-memory", "harness"],
  ["no-feedback", "harness"],
];

/** What the chosen version scores on fresh seeds; null where there is none. */
export function harnessScore(result: CellResult | undefined, split: Split): number | null {
  const rates = result === undefined ? null : ratesOf(result, "harness", split);
  return rates === null ? null : mean(rates);
}

/** How many cells of a plan have a result, of how many. */
export function progressOf(
  plan: Plan,
  results: readonly CellResult[],
): { readonly done: number; readonly cells: number } {
  const known = new Set(results.map(cellName));
  const cells = cellsOf(plan).map(cellName);
  return { done: cells.filter((name) => known.has(name)).length, cells: cells.length };
}

/** What the first of two arms has more than the other, paired by search seed and item; null with too few seeds. */
export function contrastOf(
  own: readonly CellResult[],
  other: readonly CellResult[],
  { of, split, confidence }: { readonly of: Of; readonly split: Split; readonly confidence: number },
): Difference | null {
  const pairs = own.flatMap((a) => {
    const b = other.find(({ seed }) => seed === a.seed);
    const rates = b === undefined ? null : ratesOf(b, of, split);
    const mine = ratesOf(a, of, split);
    return rates === null || mine === null ? [] : [[mine, rates] as const];
  });
  const rows = pairedRows(
    pairs.map(([a]) => a),
    pairs.map(([, b]) => b),
  );
  return crossedDifference(rows, confidence);
}

function contrastsOf(plan: Plan, of: (domain: DomainName, arm: ArmName) => CellResult[]): Contrast[] {
  const corrected = together(0.95, primary.length * plan.domains.length);
  const contrast = (
    domain: DomainName,
    against: ArmName,
    what: Of,
    split: Split,
    confidence: number,
  ): Contrast => {
    const result = contrastOf(of(domain, "evotrainer"), of(domain, against), {
      ...{ of: what, split, confidence },
    });
    return {
      domain,
      against,
      of: what,
      split,
      result,
      verdict: result === null ? null : verdictOf(result, margin),
    };
  };
  return plan.domains.flatMap((domain) =>
    (["audit", "shifted"] as const).flatMap((split) => [
      ...primary.map((arm) => contrast(domain, arm, "harness", split, split === "audit" ? corrected : 0.95)),
      ...others
        .filter(([arm]) => plan.arms.includes(arm))
        .map(([arm, what]) => contrast(domain, arm, what, split, 0.95)),
    ]),
  );
}

function retainedIn(domain: DomainName, results: readonly CellResult[]): Summary["retained"] {
  const counts = new Map<string, number>();
  for (const { chosen } of results)
    for (const { file, path, to } of chosen.settings) {
      const setting = `${file}: ${path} = ${to}`;
      counts.set(setting, (counts.get(setting) ?? 0) + 1);
    }
  return [...counts]
    .sort(([a, m], [b, n]) => n - m || (a < b ? -1 : 1))
    .map(([setting, seeds]) => ({ domain, setting, seeds }));
}
