import type { DiagnosticSpec } from "../../../../shared/spec/diagnostic.ts";
import { usableLabel } from "../../diagnosis/label/compileLabel.ts";
import { SharedReads } from "../../evidence/labels/sharedReads.ts";
import { verdictsOf } from "../../evidence/labels/verdicts.ts";
import type { Store } from "../../evidence/archive/store.ts";
import { numberOf } from "../../evidence/store/rows.ts";

interface Overlap {
  readonly label: string;
  readonly jaccard: number;
}

/** What a condition labels of all selection rollouts, beside what the other diagnostics label. */
export interface LabelFacts {
  readonly rollouts: number;
  readonly labelled: number;
  readonly failures: { readonly labelled: number; readonly of: number };
  readonly passes: { readonly labelled: number; readonly of: number };
  readonly explains: { readonly failures: number; readonly of: number };
  readonly overlaps: readonly Overlap[];
  /** Those of the revision before; empty where there is none. */
  readonly overlapsBefore: readonly Overlap[];
  readonly secondsPer10000: number | null;
}

const shownOverlaps = 3;

/** Counts over the archive in one reading; nothing is stored. @throws HarnessError specInvalid */
export async function labelFacts(
  store: Store,
  {
    spec,
    before,
    others,
  }: {
    readonly spec: DiagnosticSpec;
    readonly before: DiagnosticSpec | null;
    /** The other diagnostics over rollouts that are in force. */
    readonly others: readonly DiagnosticSpec[];
  },
): Promise<LabelFacts> {
  const reads = new SharedReads();
  const all = [spec, ...(before === null ? [] : [before]), ...others];
  const conditions = all.map((one) => usableLabel(one).sharedWhen(reads));
  const verdicts = await verdictsOf(store, { scope: { split: "selection" }, conditions, reads });
  const first = before === null ? 1 : 2;
  const carries = (i: number): string => `coalesce(v.v${i}, false)`;
  const others_ = others.map((_, i) => carries(i + first));
  const isOpen = `r.outcome = 'fail'${others_.length === 0 ? "" : ` AND NOT (${others_.join(" OR ")})`}`;
  const count = (condition: string, name: string): string => `count(*) FILTER (${condition}) AS ${name}`;
  const common = others_.flatMap((other, i) => [
    count(`${carries(0)} AND ${other}`, `both${i}`),
    count(`${carries(0)} OR ${other}`, `either${i}`),
    ...(before === null
      ? []
      : [
          count(`${carries(1)} AND ${other}`, `was_both${i}`),
          count(`${carries(1)} OR ${other}`, `was_either${i}`),
        ]),
  ]);
  const [row = {}] = await store.query({
    sql: `SELECT count(*) AS rollouts, ${[
      count(carries(0), "labelled"),
      count("r.outcome = 'fail'", "fails"),
      count(`r.outcome = 'fail' AND ${carries(0)}`, "fails_labelled"),
      count("r.outcome = 'pass'", "passes"),
      count(`r.outcome = 'pass' AND ${carries(0)}`, "passes_labelled"),
      count(isOpen, "open"),
      count(`${isOpen} AND ${carries(0)}`, "explained"),
      ...common,
    ].join(", ")} FROM (${verdicts.sql}) v JOIN rollouts r ON r.rid = v.rid`,
    params: verdicts.params,
  });
  const n = (name: string): number => numberOf(row, name);
  const overlapsBy = (prefix: string): Overlap[] =>
    others
      .map(({ name: label }, i) => {
        const either = n(`${prefix}either${i}`);
        return { label, jaccard: either === 0 ? 0 : n(`${prefix}both${i}`) / either };
      })
      .filter(({ jaccard }) => jaccard > 0)
      .sort((a, b) => b.jaccard - a.jaccard || (a.label < b.label ? -1 : 1));
  return {
    rollouts: n("rollouts"),
    labelled: n("labelled"),
    failures: { labelled: n("fails_labelled"), of: n("fails") },
    passes: { labelled: n("passes_labelled"), of: n("passes") },
    explains: { failures: n("explained"), of: n("open") },
    overlaps: overlapsBy("").slice(0, shownOverlaps),
    overlapsBefore: before === null ? [] : overlapsBy("was_"),
    secondsPer10000: await secondsFor(store, spec, n("rollouts")),
  };
}

/** How long the condition alone takes. */
async function secondsFor(store: Store, spec: DiagnosticSpec, rollouts: number): Promise<number | null> {
  if (rollouts === 0) return null;
  const reads = new SharedReads();
  const conditions = [usableLabel(spec).sharedWhen(reads)];
  const { sql, params } = await verdictsOf(store, { scope: { split: "selection" }, conditions, reads });
  const began = performance.now();
  await store.query({ sql: `SELECT count(*) FILTER (v0) AS labelled FROM (${sql})`, params });
  const seconds = (performance.now() - began) / 1000;
  // A handful of rollouts says nothing but how long it takes to begin.
  return rollouts < 100 ? null : (seconds / rollouts) * 10_000;
}
