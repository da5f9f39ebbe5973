import type { PredictionResult, ShiftKind } from "../../../shared/ledger/hypothesisResult.ts";

/** What one name did from a version to its child: a label of rollouts or of groups, or a finding about the version. */
export interface NamedShift {
  readonly label: string;
  readonly kind: ShiftKind;
}

/** What was foreseen of a version, and what its labels and findings did against its parent. */
export interface Foreseen {
  readonly version: string;
  readonly parent: string;
  readonly proposer: string;
  /** Labels that should become rarer, and labels that may become more frequent. */
  readonly fixes: readonly string[];
  readonly risks: readonly string[];
  /** Null where one of the two versions has no rollouts in the archive. */
  readonly shifts: readonly NamedShift[] | null;
  /** Which of the two have no rollouts, and which are not to be trusted: then nothing is a hit or a miss. */
  readonly lacking?: readonly string[];
  readonly notValid?: readonly string[];
}

export interface CheckedPrediction {
  readonly version: string;
  readonly parent: string;
  readonly proposer: string;
  readonly measured: boolean;
  /** Why it was not measured: which of the two versions have no rollouts, and which are not to be trusted. */
  readonly lacking?: string[];
  readonly notValid?: string[];
  readonly fixes: readonly { readonly label: string; readonly result: PredictionResult }[];
  readonly risks: readonly { readonly label: string; readonly result: PredictionResult }[];
  /** Labels that became rarer, or more frequent, without having been foreseen. */
  readonly unforeseenFixes: readonly string[];
  readonly unforeseenRisks: readonly string[];
}

/** One kind of predictions of a proposer. A share of nothing is null; every share stands beside its counts. */
export interface PredictionTally {
  /** Predictions that could be measured. */
  readonly predicted: number;
  readonly hits: number;
  readonly withinNoise: number;
  readonly opposite: number;
  readonly notMeasured: number;
  /** Changes that happened and were not foreseen. */
  readonly unforeseen: number;
  /** hits / predicted, and hits / (hits + unforeseen). */
  readonly precision: number | null;
  readonly recall: number | null;
  /** Hits to be expected of as many labels chosen at random. */
  readonly byChance: number;
}

export interface ProposerRecord {
  readonly proposer: string;
  readonly versions: number;
  /** Versions whose rollouts and whose parent's are in the archive and can be trusted. */
  readonly measured: number;
  readonly fixes: PredictionTally;
  readonly risks: PredictionTally;
}

/** A finding holds of a version or not; null where the evidence does not say. */
export function findingKind(before: boolean | null, after: boolean | null): ShiftKind {
  if (before === null || after === null) return "not_measured";
  if (before === after) return "within_noise";
  return after ? "appeared" : "vanished";
}

const fell = (s: NamedShift): boolean => s.kind === "fell" || s.kind === "vanished";
const isMeasured = (s: NamedShift): boolean => s.kind !== "not_measured" && s.kind !== "cannot_tell";
const rose = (s: NamedShift): boolean => s.kind === "rose" || s.kind === "appeared";

/** Holds what was foreseen of one version against what its labels did. */
export function checkPrediction(foreseen: Foreseen): CheckedPrediction {
  const { version, parent, proposer, shifts } = foreseen;
  const isValid = isTrusted(foreseen);
  const by = new Map((isValid ? (shifts ?? []) : []).map((s) => [s.label, s]));
  const results = (labels: readonly string[], expected: (s: NamedShift) => boolean) =>
    [...new Set(labels)].map((label) => ({ label, result: resultOf(by.get(label), expected) }));
  const beyond = (labels: readonly string[], happened: (s: NamedShift) => boolean): string[] =>
    (shifts ?? []).filter((s) => happened(s) && !labels.includes(s.label)).map((s) => s.label);
  return {
    version,
    parent,
    proposer,
    measured: shifts !== null && isValid,
    ...(foreseen.lacking === undefined ? {} : { lacking: [...foreseen.lacking] }),
    ...(foreseen.notValid === undefined ? {} : { notValid: [...foreseen.notValid] }),
    fixes: results(foreseen.fixes, fell),
    risks: results(foreseen.risks, rose),
    // What reads its answers has rarer labels for that alone; what it does more often is told of it as of any version.
    unforeseenFixes: isValid ? beyond(foreseen.fixes, fell) : [],
    unforeseenRisks: beyond(foreseen.risks, rose),
  };
}

const isTrusted = ({ notValid = [] }: Foreseen): boolean => notValid.length === 0;

function resultOf(shift: NamedShift | undefined, expected: (s: NamedShift) => boolean): PredictionResult {
  if (shift === undefined || !isMeasured(shift)) return "not_measured";
  if (expected(shift)) return "hit";
  return shift.kind === "within_noise" ? "within_noise" : "opposite";
}

/** What the predictions of each proposer were worth over a lineage, by name. Versions that are not to be trusted count for nothing. */
export function proposerRecords(predicted: readonly Foreseen[]): ProposerRecord[] {
  const lineage = predicted.map((one): Foreseen => (isTrusted(one) ? one : { ...one, shifts: null }));
  const names = [...new Set(lineage.map((f) => f.proposer))].sort();
  return names.map((proposer) => {
    const own = lineage.filter((f) => f.proposer === proposer);
    return {
      proposer,
      versions: own.length,
      measured: own.filter((f) => f.shifts !== null).length,
      fixes: tallyOf(own, "fixes"),
      risks: tallyOf(own, "risks"),
    };
  });
}

function tallyOf(own: readonly Foreseen[], kind: "fixes" | "risks"): PredictionTally {
  const happened = kind === "fixes" ? fell : rose;
  const checked = own.map(checkPrediction);
  const results = checked.flatMap((c) => c[kind].map((r) => r.result));
  const count = (result: PredictionResult): number => results.filter((r) => r === result).length;
  const [hits, withinNoise, opposite] = [count("hit"), count("within_noise"), count("opposite")];
  const predicted = hits + withinNoise + opposite;
  const unforeseen = checked.reduce(
    (n, c) => n + (kind === "fixes" ? c.unforeseenFixes : c.unforeseenRisks).length,
    0,
  );
  let byChance = 0;
  own.forEach((f, i) => {
    const measured = (f.shifts ?? []).filter(isMeasured);
    const named = checked[i]?.[kind].filter((r) => r.result !== "not_measured").length ?? 0;
    if (measured.length > 0) byChance += (named * measured.filter(happened).length) / measured.length;
  });
  return {
    predicted,
    hits,
    withinNoise,
    opposite,
    notMeasured: count("not_measured"),
    unforeseen,
    precision: predicted === 0 ? null : hits / predicted,
    recall: hits + unforeseen === 0 ? null : hits / (hits + unforeseen),
    byChance,
  };
}
