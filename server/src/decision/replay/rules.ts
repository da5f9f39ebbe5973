import type { InterventionSpec } from "../../../../shared/spec/intervention.ts";

/** Other rules to decide a lineage by; null, or an empty list, leaves a rule as it was recorded. */
export interface ReplayRules {
  /** Only the first seeds of each version count. */
  readonly seeds: number | null;
  /** Of every comparison, before it is corrected for the candidates that were compared with the same parent. */
  readonly confidence: number | null;
  /** Who answers the design gates: a person, or the rule, but for the first versions and after failures in a row. */
  readonly gates: "human" | "full" | null;
  /** They hold for every version, in addition to its own. */
  readonly guardrails: InterventionSpec["guardrails"];
  /** Diagnostics that are taken away. */
  readonly without: readonly string[];
  /** The version whose diagnostics label all others. */
  readonly harness: string | null;
}

/** The rules that every decision was made by. */
export const recordedRules: ReplayRules = {
  seeds: null,
  confidence: null,
  gates: null,
  guardrails: [],
  without: [],
  harness: null,
};
