import { table } from "./cells.ts";
import type { DomainName, Plan } from "../plan.ts";
import type { CellResult } from "../result.ts";
import { holds, type OtherRun } from "./summary.ts";

/** What EvoTrainer's searches drafted and changed: sections of a run whose every cell is here. */
export function changesReport({ plan, results }: OtherRun): string[] {
  const own = results.filter(({ arm }) => arm === "evotrainer");
  return own.length === 0 ? [] : [...drafts(plan, own), ...factors(plan, own)];
}

interface Drafts {
  readonly domain: DomainName;
  readonly when: string;
  /** Counts of searches. */
  readonly drafted: number;
  readonly admitted: number;
}

/** The conditions that searches drafted in a domain, those of most searches first. */
export function draftsIn(domain: DomainName, results: readonly CellResult[]): Drafts[] {
  const own = results.filter((one) => one.domain === domain);
  const conditions = new Set(own.flatMap(({ diagnostics }) => diagnostics.map(({ when }) => when)));
  return [...conditions]
    .map((when) => {
      const of = own.map(({ diagnostics }) => diagnostics.filter((one) => one.when === when));
      const drafted = of.filter((some) => some.length > 0).length;
      return { domain, when, drafted, admitted: of.filter((some) => some.some(isAdmitted)).length };
    })
    .sort((a, b) => b.drafted - a.drafted || b.admitted - a.admitted || (a.when < b.when ? -1 : 1));
}

const isAdmitted = ({ decision }: CellResult["diagnostics"][number]): boolean => decision === "keep";

function drafts(plan: Plan, own: readonly CellResult[]): string[] {
  const made = own.flatMap(({ diagnostics }) => diagnostics);
  const admitted = own.filter(({ diagnostics }) => diagnostics.some(isAdmitted)).length;
  const drafting = own.filter(({ diagnostics }) => diagnostics.length > 0).length;
  return [
    "## Diagnostics that nobody had written",
    `EvoTrainer's ${own.length} searches made ${made.length} drafts of diagnostics from [gaps](gaps.md), in ${drafting} searches; ${made.filter(isAdmitted).length} of them were [admitted](diagnostics-over-time.md#bringing-a-change-into-force-harness-versions), for good or on trial, in ${admitted} searches.`,
    ...(made.length === 0
      ? []
      : [
          table(
            ["domain", "condition", "drafted in searches", "admitted in searches"],
            plan.domains.flatMap((domain) =>
              draftsIn(domain, own).map((one) => [
                // A bar would end the cell, in code as well.
                ...[domain, `\`${one.when.replaceAll("|", "\\|")}\``],
                ...[String(one.drafted), String(one.admitted)],
              ]),
            ),
          ),
        ]),
  ];
}

/** What a version does that changes more than one thing, or takes one out; each has a row after the factors. */
const joined = "two or three changes at once";
const takenOut = "an earlier change taken out";

interface FactorCounts {
  readonly domain: DomainName;
  readonly factor: string;
  readonly tried: number;
  readonly kept: number;
  /** Of the kept ones, with a claim that holds on fresh seeds. */
  readonly held: number;
}

type Decision = CellResult["decisions"][number];

/** The results have no more than a version's name of what it is made of (docs/search.md, docs/review.md). */
function kindOf({ version, factor }: Pick<Decision, "version" | "factor">): string {
  if (/^v\d+-without-v\d+/.test(version)) return takenOut;
  if (/-with-v\d+$/.test(version)) return joined;
  return factor ?? "not recorded";
}

/** By domain, the changes of each factor, those tried most often first; then what changes more than one thing. */
export function factorsIn(domain: DomainName, results: readonly CellResult[]): FactorCounts[] {
  const rows = new Map<string, { tried: number; kept: number; held: number }>();
  for (const { decisions, predictions, claims } of results.filter((one) => one.domain === domain)) {
    // Each change has a prediction; the base policy, the baseline and versions of the diagnostics have none.
    const changes = decisions.filter((one) => predictions.some(({ version }) => version === one.version));
    for (const change of changes) {
      const row = rows.get(kindOf(change)) ?? { tried: 0, kept: 0, held: 0 };
      const isKept = change.decision === "keep";
      const claim = claims.find(({ version }) => version === change.version);
      rows.set(kindOf(change), {
        tried: row.tried + 1,
        kept: row.kept + Number(isKept),
        held: row.held + Number(isKept && claim !== undefined && holds(claim)),
      });
    }
  }
  const place = (factor: string): number => [joined, takenOut].indexOf(factor);
  return [...rows]
    .map(([factor, counts]) => ({ domain, factor, ...counts }))
    .sort((a, b) => place(a.factor) - place(b.factor) || b.tried - a.tried || (a.factor < b.factor ? -1 : 1));
}

function factors(plan: Plan, own: readonly CellResult[]): string[] {
  const found = plan.domains.flatMap((domain) => factorsIn(domain, own));
  if (found.length === 0) return [];
  return [
    "## How often a factor was kept",
    "The changes that EvoTrainer's searches tried, by [factor](concepts.md#what-is-changed), without the base policy, the baseline and drafted diagnostics. Kept are those that the engine decided to keep, also where they are [held](evolution.md) or open a leak; a kept one holds if it is better than its parent on fresh seeds, with every leak closed. A version that joins [changes](search.md#two-changes-at-once) is of one factor or of several, and one that [takes an earlier change out](review.md#versions-made-from-kept-versions) is kept where nothing is lost by it, also if it is no better. Both are counted apart, and are not in the rows of their factors.",
    table(
      ["domain", "factor", "changes tried", "kept", "hold"],
      found.map(({ domain, factor, tried, kept, held }) => [
        ...[domain, factor, String(tried), String(kept), String(held)],
      ]),
    ),
  ];
}
