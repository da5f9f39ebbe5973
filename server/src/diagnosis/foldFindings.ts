import type { LabelCount } from "../../../shared/ledger/measures.ts";
import type { DiagnosticSpec } from "../../../shared/spec/diagnostic.ts";
import { scopeCondition, type EvidenceScope } from "../evidence/store/split.ts";
import { numberOf, stringOf } from "../evidence/store/rows.ts";
import type { Store } from "../evidence/archive/store.ts";
import { severityOrder, type Finding } from "./rules.ts";

/** Two labels that are on the same rollouts, or on nearly the same. */
export type Coinciding = readonly [string, string];

/**
 * Says a failure once: a finding gets `under`, the name of another one, where its diagnostic says so (`foldUnder`) or where
 * their labels coincide. None is folded under a milder one. Nothing is left out, and the order stays.
 */
export function foldFindings(
  findings: readonly Finding[],
  diagnostics: readonly Pick<DiagnosticSpec, "name" | "foldUnder">[],
  coinciding: readonly Coinciding[],
): Finding[] {
  const found = new Map(findings.map((finding) => [finding.name, finding]));
  const place = new Map(findings.map(({ name }, i) => [name, i]));
  const folds = new Map(diagnostics.map(({ name, foldUnder = [] }) => [name, [foldUnder].flat()]));
  const others = othersOf(coinciding);
  const leads = (finding: Finding): string | undefined => {
    const named = folds.get(finding.name) ?? [];
    // What says that it goes under this one does not lead it, also where both are on the same rollouts.
    const together = [...(others.get(finding.name) ?? [])].filter(
      (name) => found.has(name) && folds.get(name)?.includes(finding.name) !== true,
    );
    // Findings are in the order of their severity, so that the first says most.
    const before = (name: string): number => place.get(name) ?? Infinity;
    const [first] = together
      .filter((name) => before(name) < before(finding.name))
      .sort((a, b) => before(a) - before(b));
    return [...named, first].find((name) => name !== undefined && name !== finding.name && found.has(name));
  };
  return findings.map((finding) => {
    const lead = leads(finding);
    const other = lead === undefined ? undefined : found.get(lead);
    const milder =
      other !== undefined && severityOrder.indexOf(other.severity) > severityOrder.indexOf(finding.severity);
    // What it would be folded under may be folded itself: then it stays, so that each is one step away.
    const isLead = other !== undefined && leads(other) === undefined;
    return other === undefined || milder || !isLead ? finding : { ...finding, under: other.name };
  });
}

/** By label those that coincide with it. */
function othersOf(coinciding: readonly Coinciding[]): ReadonlyMap<string, ReadonlySet<string>> {
  const others = new Map<string, Set<string>>();
  for (const [a, b] of coinciding)
    for (const [name, other] of [
      [a, b],
      [b, a],
    ] as const)
      others.set(name, (others.get(name) ?? new Set()).add(other));
  return others;
}

/**
 * Labels with `under` where they coincide with another one: the one whose finding leads, or that invalidates, or is the most
 * severe. Nothing is left out, and the order stays.
 */
export function foldLabels(
  labels: readonly LabelCount[],
  findings: readonly Finding[],
  coinciding: readonly Coinciding[],
): LabelCount[] {
  const folded = new Set(findings.flatMap(({ name, under }) => (under === undefined ? [] : [name])));
  const found = new Set(findings.map(({ name }) => name));
  const rank = ({ name, severity, invalidates }: LabelCount): number[] => [
    Number(!found.has(name) || folded.has(name)),
    Number(!invalidates),
    severityOrder.indexOf(severity),
  ];
  const before = (a: LabelCount, b: LabelCount): number => {
    const [ofA, ofB] = [rank(a), rank(b)];
    const at = ofA.findIndex((x, i) => x !== ofB[i]);
    return at === -1 ? (a.name < b.name ? -1 : 1) : (ofA[at] ?? 0) - (ofB[at] ?? 0);
  };
  const leads = new Map<string, string>();
  const others = othersOf(coinciding);
  // Nearly the same as one that is folded is not nearly the same as what that is folded under.
  for (const { name } of labels.toSorted(before))
    if (!leads.has(name))
      for (const other of others.get(name) ?? [])
        if (!leads.has(other) && ![...leads.values()].includes(other)) leads.set(other, name);
  return labels.map((label) => {
    const under = leads.get(label.name);
    return under === undefined ? label : { ...label, under };
  });
}

/** Which share of the rollouts that either label is on have both, so that the two say the same failure. */
const nearlySame = 0.95;

/** Labels over rollouts that are on the same ones, at least two of them, or on nearly the same. */
export async function coincidingLabels(
  store: Store,
  counts: readonly LabelCount[],
  scope: EvidenceScope,
): Promise<Coinciding[]> {
  const carried = counts.filter((c) => c.over !== "group" && c.labelled > 1);
  const close = pairsOf(carried).filter(
    ([a, b]) => Math.min(a.labelled, b.labelled) >= nearlySame * Math.max(a.labelled, b.labelled),
  );
  if (close.length === 0) return [];
  const where = scopeCondition(scope);
  // Of labels on equally many rollouts the sum of their hashes tells whether they are the same; others are compared one by one.
  const rows = await store.query({
    sql: `SELECT l.label, bit_xor(hash(r.rid))::VARCHAR AS which
          FROM labels l JOIN rollouts r USING (rid) WHERE ${where.sql} AND l.label IN (SELECT unnest(?))
          GROUP BY l.label`,
    params: [...where.params, [...new Set(close.flat().map(({ name }) => name))]],
  });
  const which = new Map(rows.map((row) => [stringOf(row, "label"), stringOf(row, "which")]));
  const isSame = ([a, b]: LabelPair): boolean =>
    a.labelled === b.labelled && which.get(a.name) === which.get(b.name);
  const open = close.filter((pair) => !isSame(pair) && couldBeNear(pair));
  const near = open.length === 0 ? [] : await nearPairs(store, open, scope);
  return close
    .filter((pair) => isSame(pair) || near.includes(pair))
    .map(([a, b]): Coinciding => [a.name, b.name]);
}

type LabelPair = readonly [LabelCount, LabelCount];

const pairsOf = (counts: readonly LabelCount[]): LabelPair[] =>
  counts.flatMap((a, i) => counts.slice(i + 1).map((b): LabelPair => [a, b]));

/** Of few rollouts a single one that differs is too many: then there is nothing to count. */
const couldBeNear = ([a, b]: LabelPair): boolean => {
  const either = a.labelled === b.labelled ? a.labelled + 1 : Math.max(a.labelled, b.labelled);
  const both = a.labelled === b.labelled ? a.labelled - 1 : Math.min(a.labelled, b.labelled);
  return both / either >= nearlySame;
};

/** Of pairs of labels those that are on nearly the same rollouts. */
async function nearPairs(
  store: Store,
  pairs: readonly LabelPair[],
  scope: EvidenceScope,
): Promise<LabelPair[]> {
  const where = scopeCondition(scope);
  const names = [...new Set(pairs.flat().map(({ name }) => name))];
  const columns = names.map((_, i) => `bool_or(l.label = ?) AS l${i}`);
  const both = pairs.map(
    ([a, b], i) => `count(*) FILTER (l${names.indexOf(a.name)} AND l${names.indexOf(b.name)}) AS n${i}`,
  );
  const [row = {}] = await store.query({
    sql: `SELECT ${both.join(", ")} FROM (
            SELECT r.rid, ${columns.join(", ")} FROM labels l JOIN rollouts r USING (rid)
            WHERE ${where.sql} AND l.label IN (SELECT unnest(?)) GROUP BY r.rid)`,
    params: [...names, ...where.params, names],
  });
  return pairs.filter(([a, b], i) => {
    const shared = numberOf(row, `n${i}`);
    return shared >= nearlySame * (a.labelled + b.labelled - shared);
  });
}

/**
 * Findings about the signal of training at most as information where nothing was trained on: a group of an evaluation in
 * which all have the same reward costs no gradient. Where there is a curve over training steps, something was trained.
 */
export function withoutTraining(
  findings: readonly Finding[],
  diagnostics: readonly Pick<DiagnosticSpec, "name" | "layer">[],
): Finding[] {
  const signals = new Set(diagnostics.filter(({ layer }) => layer === "signal").map(({ name }) => name));
  return findings.map((finding) =>
    signals.has(finding.name) && finding.severity !== "info" && finding.firing === undefined
      ? { ...finding, severity: "info", message: `${finding.message} These are evaluations, not training.` }
      : finding,
  );
}
