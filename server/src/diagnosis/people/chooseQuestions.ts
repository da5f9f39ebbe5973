import type { PeoplePart } from "../../../../shared/words/people.ts";
import { measuredByPeople, type Answered, type Sizes } from "./measuredByPeople.ts";

/** Rollouts of a version that people can be asked about, all of them with a label or all without it. */
export interface Pool<T> {
  readonly label: string;
  readonly part: PeoplePart;
  readonly side: "labelled" | "clear";
  /** In the order in which they are to be asked about, without those that people answered about. */
  readonly rollouts: readonly T[];
  readonly answered: Answered;
  readonly sizes: Sizes;
  /** What hangs on the label: larger goes first among questions that tell equally much. */
  readonly weight: number;
}

export type Question<T> = Pick<Pool<T>, "label" | "part" | "side"> & { readonly rollout: T };

/**
 * The questions that tell most: one after the other that whose answer narrows the 95 % intervals of precision and recall most,
 * as far as can be foreseen from the answers so far (each question that is chosen counts as answered like those before it).
 */
export function chooseQuestions<T>(pools: readonly Pool<T>[], limit: number): Question<T>[] {
  // The two sides of a label and a part share their answers.
  const answers = new Map<string, Answered>();
  const taken = new Map<Pool<T>, number>();
  const answeredOf = (pool: Pool<T>): Answered => answers.get(keyOf(pool)) ?? pool.answered;
  const ordered = pools.toSorted(
    (a, b) =>
      b.weight - a.weight ||
      compareText(a.label, b.label) ||
      compareText(a.part, b.part) ||
      // Whether a label is right is asked before whether it misses something.
      compareText(b.side, a.side),
  );
  const chosen: Question<T>[] = [];
  while (chosen.length < limit) {
    let best: { pool: Pool<T>; gain: number } | undefined;
    for (const pool of ordered) {
      if ((taken.get(pool) ?? 0) >= pool.rollouts.length) continue;
      const gain = gainOf(pool, answeredOf(pool));
      if (best === undefined || gain > best.gain + 1e-9) best = { pool, gain };
    }
    if (best === undefined) return chosen;
    const { pool } = best;
    const at = taken.get(pool) ?? 0;
    const rollout = pool.rollouts[at];
    if (rollout === undefined) return chosen;
    chosen.push({ label: pool.label, part: pool.part, side: pool.side, rollout });
    taken.set(pool, at + 1);
    answers.set(keyOf(pool), withOneMore(answeredOf(pool), pool.side));
  }
  return chosen;
}

const keyOf = ({ label, part }: Pick<Pool<unknown>, "label" | "part">): string =>
  JSON.stringify([label, part]);

const compareText = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0);

/** By how much both intervals together get narrower. */
function gainOf({ side, sizes }: Pool<unknown>, answered: Answered): number {
  return widths(answered, sizes) - widths(withOneMore(answered, side), sizes);
}

/** Of the interval of precision and that of recall; an unknown one is as wide as can be. */
function widths(answered: Answered, sizes: Sizes): number {
  const { precision, recall } = measuredByPeople(answered, sizes);
  const width = (estimate: typeof precision): number =>
    estimate === null ? 1 : estimate.high - estimate.low;
  return width(precision) + width(recall);
}

/** One more answer like those before it: shares of one half to begin with, so that neither answer is taken for granted. */
function withOneMore({ labelled, clear }: Answered, side: Pool<unknown>["side"]): Answered {
  const yes = (asked: number, said: number): number => said + (said + 0.5) / (asked + 1);
  return side === "labelled"
    ? { labelled: { asked: labelled.asked + 1, right: yes(labelled.asked, labelled.right) }, clear }
    : { labelled, clear: { asked: clear.asked + 1, missed: yes(clear.asked, clear.missed) } };
}
