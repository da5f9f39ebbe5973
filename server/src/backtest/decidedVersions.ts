import { labelShare } from "../../../shared/model/labelShare.ts";
import type { Decision } from "../../../shared/ledger/ledger.ts";
import type { DiagnosticSpec } from "../../../shared/spec/diagnostic.ts";
import type { VersionRecord } from "../lineage/records/versionRecord.ts";
import type { MetricHistory, MetricValue } from "./admission.ts";
import type { VersionBacktest } from "./diagnosticBacktest.ts";

/** What a metric has to tell apart: an invalidating diagnostic the sound versions from the invalid ones. */
export const questions = ["kept_against_rejected", "sound_against_invalid"] as const;
export type Question = (typeof questions)[number];

/** Which question a diagnostic answers. */
export function questionOf(spec: DiagnosticSpec): Question {
  return spec.label.invalidates ? "sound_against_invalid" : "kept_against_rejected";
}

/** Which side of the question a decision puts a version on; null for neither. */
function sideOf(decision: Decision | null, question: Question): "good" | "bad" | null {
  switch (decision) {
    case "keep":
    case "merge":
      return "good";
    case "reject":
    case "revert":
      return question === "kept_against_rejected" ? "bad" : "good";
    case "invalid":
      return question === "kept_against_rejected" ? null : "bad";
    case "base":
      // The policy before training was neither kept nor rejected, but it was sound.
      return question === "kept_against_rejected" ? null : "good";
    case "edit":
    case "prune":
    case null:
      return null;
  }
}

/** A label's rate on the decided versions of a backtest. Rollouts without a verdict are left out. */
export function labelHistory(
  label: string,
  versions: readonly VersionBacktest[],
  decisions: ReadonlyMap<string, Decision | null>,
  question: Question,
): MetricHistory {
  return historyOf(
    label,
    versions.map(({ version, rollouts, after }) => ({
      version,
      decision: decisions.get(version) ?? null,
      value: labelShare({ ...after, rollouts }).rate,
    })),
    question,
  );
}

interface DecidedValue extends MetricValue {
  readonly decision: Decision | null;
}

function historyOf(metric: string, values: readonly DecidedValue[], question: Question): MetricHistory {
  const on = (side: "good" | "bad"): MetricValue[] =>
    values
      .filter((v) => sideOf(v.decision, question) === side)
      .map(({ version, value }) => ({ version, value }));
  return { metric, good: on("good"), bad: on("bad") };
}

/** The other labels and the signals as the ledger has them, to see what separates besides. */
export function otherHistories(
  except: string,
  versions: readonly VersionRecord[],
  question: Question,
): MetricHistory[] {
  const values = new Map<string, DecidedValue[]>();
  for (const { name, decision, evidence } of versions) {
    const { labels = [], signals = {} } = evidence.selection ?? {};
    const own: [string, number | null][] = [
      ...labels.map((l): [string, number | null] => [l.name, labelShare(l).rate]),
      ...Object.entries(signals),
    ];
    for (const [metric, value] of own)
      if (metric !== except)
        values.set(metric, [
          ...(values.get(metric) ?? []),
          { version: name, decision: decision?.decision ?? null, value },
        ]);
  }
  return [...values].map(([metric, found]) => historyOf(metric, found, question));
}
