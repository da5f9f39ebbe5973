import { activeTerms, termFunction, type RewardTerms } from "../../../shared/reward/reward.ts";
import type { RewardComponent } from "../../../shared/spec/reward.ts";
import type { GroupColumns, SignalColumn } from "../evidence/queries/groupColumns.ts";

/** Which reward: composed by a spec, or the one that training recorded. */
export type RewardSource = RewardTerms | "archived";

/** The reward of every rollout, added up as a trainer does; NaN for one that lacks a signal of the spec. */
export function rewardColumn(columns: GroupColumns, source: RewardSource): Float64Array {
  if (source === "archived") return columns.reward.values;
  const total = new Float64Array(columns.rollouts);
  for (const { signal, term } of activeTerms(source)) {
    addTerm(total, signalOf(columns, signal).values, term);
  }
  return total;
}

/** Adds to each total what a term makes of its signal: `termFunction`, with the most frequent kinds of terms inlined. */
export function addTerm(total: Float64Array, signal: Float64Array, term: RewardComponent): void {
  const { weight, shape, above } = term;
  if (shape === "linear" && above === undefined)
    for (let i = 0; i < total.length; i++) total[i] = (total[i] ?? NaN) + weight * (signal[i] ?? NaN);
  else {
    const value = termFunction(term);
    for (let i = 0; i < total.length; i++) total[i] = (total[i] ?? NaN) + value(signal[i] ?? NaN);
  }
}

/** The signals that have to be read to replay these rewards. */
export function signalsOf(...sources: readonly RewardSource[]): string[] {
  const names = sources.flatMap((s) => (s === "archived" ? [] : activeTerms(s).map(({ signal }) => signal)));
  return [...new Set(names)].sort();
}

export function signalOf(columns: GroupColumns, name: string): SignalColumn {
  const column = columns.signals.get(name);
  if (column === undefined) throw new Error(`The column of ${name} was not read.`);
  return column;
}
