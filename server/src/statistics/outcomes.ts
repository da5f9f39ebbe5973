/** What k samples of one item came to. `unknown` counts samples whose evaluator failed; they are neither pass nor fail. */
export interface ItemOutcomes {
  readonly item: string;
  readonly pass: number;
  readonly fail: number;
  readonly unknown: number;
}

/** macro: mean over items of the item's mean. micro: mean over rollouts. */
export type Aggregator = "macro" | "micro";

/** Passes and known samples of one item, the unit that is resampled. */
export interface ItemTally {
  readonly pass: number;
  readonly known: number;
}

/** Items with at least one known outcome. */
export function tally(outcomes: readonly ItemOutcomes[]): ItemTally[] {
  return outcomes.filter((o) => o.pass + o.fail > 0).map((o) => ({ pass: o.pass, known: o.pass + o.fail }));
}

/** Solve rate in [0, 1] of a non-empty list of items. */
export function aggregate(items: readonly ItemTally[], aggregator: Aggregator): number {
  let pass = 0;
  let known = 0;
  for (const item of items) {
    pass += aggregator === "macro" ? item.pass / item.known : item.pass;
    known += aggregator === "macro" ? 1 : item.known;
  }
  return pass / known;
}
