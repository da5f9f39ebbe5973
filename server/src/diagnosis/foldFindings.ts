import type { LabelCount } from "../../../shared/ledger/measures.ts";
import type { DiagnosticSpec } from "../../../shared/spec/diagnostic.ts";
import { scopeCondition, type EvidenceScope } from "../evidence/store/split.ts";
import { stringOf } from "../evidence/store/rows.ts";
import type { Store } from "../evidence/archive/store.ts";
import { severityOrder, type Finding } from "./rules.ts";

/**
 * Says a failure once: a finding gets `under`, the name of another one, where its diagnostic says so (`foldUnder`) or where
 * their labels are on exactly the same rollouts. None is folded under a milder one. Nothing is left out, and the order stays.
 */
export function foldFindings(
  findings: readonly Finding[],
  diagnostics: readonly Pick<DiagnosticSpec, "name" | "foldUnder">[],
  coinciding: readonly (readonly string[])[],
): Finding[] {
  const found = new Map(findings.map((finding) => [finding.name, finding]));
  const place = new Map(findings.map(({ name }, i) => [name, i]));
  const folds = new Map(diagnostics.map(({ name, foldUnder }) => [name, foldUnder]));
  const groups = new Map(coinciding.flatMap((names) => names.map((name) => [name, names] as const)));
  const leads = (finding: Finding): string | undefined => {
    const named = folds.get(finding.name);
    // What says that it goes under this one does not lead it, also where both are on the same rollouts.
    const together = (groups.get(finding.name) ?? []).filter(
      (name) => found.has(name) && folds.get(name) !== finding.name,
    );
    // Findings are in the order of their severity, so that the first says most.
    const first = together.sort((a, b) => (place.get(a) ?? 0) - (place.get(b) ?? 0))[0];
    return [named, first].find((name) => name !== undefined && name !== finding.name && found.has(name));
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

/**
 * Labels with `under` where they are on exactly the same rollouts as another one: the one whose finding leads, or that
 * invalidates, or is the most severe. Nothing is left out, and the order stays.
 */
export function foldLabels(
  labels: readonly LabelCount[],
  findings: readonly Finding[],
  coinciding: readonly (readonly string[])[],
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
  for (const names of coinciding) {
    const [lead, ...others] = labels.filter(({ name }) => names.includes(name)).sort(before);
    for (const { name } of others) if (lead !== undefined) leads.set(name, lead.name);
  }
  return labels.map((label) => {
    const under = leads.get(label.name);
    return under === undefined ? label : { ...label, under };
  });
}

/** Labels over rollouts that are on exactly the same ones, at least two of them: each list has two names or more. */
export async function coincidingLabels(
  store: Store,
  counts: readonly LabelCount[],
  scope: EvidenceScope,
): Promise<string[][]> {
  const names = counts.filter((c) => c.over !== "group" && c.labelled > 1).map(({ name }) => name);
  if (names.length < 2) return [];
  const where = scopeCondition(scope);
  const rows = await store.query({
    sql: `SELECT l.label, count(*)::VARCHAR || ' ' || bit_xor(hash(r.rid))::VARCHAR AS which
          FROM labels l JOIN rollouts r USING (rid) WHERE ${where.sql} AND l.label IN (SELECT unnest(?))
          GROUP BY l.label ORDER BY l.label`,
    params: [...where.params, names],
  });
  const byRollouts = new Map<string, string[]>();
  for (const row of rows) {
    const which = stringOf(row, "which");
    byRollouts.set(which, [...(byRollouts.get(which) ?? []), stringOf(row, "label")]);
  }
  return [...byRollouts.values()].filter((same) => same.length > 1);
}

/**
 * Findings about the signal of training at most as information where nothing was trained on: a group of an evaluation in
 * which all have the same reward costs no gradient.
 */
export function withoutTraining(
  findings: readonly Finding[],
  diagnostics: readonly Pick<DiagnosticSpec, "name" | "layer">[],
): Finding[] {
  const signals = new Set(diagnostics.filter(({ layer }) => layer === "signal").map(({ name }) => name));
  return findings.map((finding) =>
    signals.has(finding.name) && finding.severity !== "info"
      ? { ...finding, severity: "info", message: `${finding.message} These are evaluations, not training.` }
      : finding,
  );
}
