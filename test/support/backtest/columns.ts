import type { Outcome } from "../../../shared/model/rollout.ts";
import {
  outcomeCodes,
  type GroupColumns,
  type SignalColumn,
} from "../../../server/src/evidence/queries/groupColumns.ts";

/** For tests: one rollout with its signals by name; a signal that is left out is missing. */
export interface TestRollout {
  readonly outcome: Outcome;
  readonly signals: Readonly<Record<string, number>>;
  readonly reward?: number;
}

export interface TestGroup {
  readonly run?: string;
  readonly step?: number;
  readonly rollouts: readonly TestRollout[];
}

/** For tests: columns as the archive gives them. The groups of a run must follow one another in step order. */
export function columnsOf(groups: readonly TestGroup[], names?: readonly string[]): GroupColumns {
  const rollouts = groups.flatMap((g) => g.rollouts);
  const runs = [...new Set(groups.map((g) => g.run ?? "run-1"))];
  const offsets = new Uint32Array(groups.length + 1);
  groups.forEach((g, i) => (offsets[i + 1] = (offsets[i] ?? 0) + g.rollouts.length));
  const signals = names ?? [...new Set(rollouts.flatMap((r) => Object.keys(r.signals)))];
  return {
    rollouts: rollouts.length,
    groups: groups.length,
    offsets,
    runs,
    runOf: Uint32Array.from(groups, (g) => runs.indexOf(g.run ?? "run-1")),
    stepOf: Float64Array.from(groups, (g) => g.step ?? 0),
    outcomes: Uint8Array.from(rollouts, (r) => outcomeCodes[r.outcome]),
    rids: Float64Array.from(rollouts, (_, i) => i),
    reward: column(rollouts.map((r) => r.reward)),
    signals: new Map(signals.map((name) => [name, column(rollouts.map((r) => r.signals[name]))])),
  };
}

function column(values: readonly (number | undefined)[]): SignalColumn {
  return {
    values: Float64Array.from(values, (v) => (v !== undefined && Number.isFinite(v) ? v : NaN)),
    missing: values.filter((v) => v === undefined).length,
    notFinite: values.filter((v) => v !== undefined && !Number.isFinite(v)).length,
  };
}
