import type { CallPart } from "./callParts.ts";
import { bitOf, wordOf, wordsFor } from "./bits.ts";

/**
 * Conditions on a turn that are tried in one reading of the turns, each of which a turn answers with one bit. A condition is
 * what has to hold one after the other, so that the dear comes last; what several begin with is tried once.
 */
export class TurnConditions {
  readonly #places = new Map<string, number>();
  readonly #conditions: TurnCondition[] = [];

  /** The place of a condition; the same one for the same condition. */
  add(condition: TurnCondition): number {
    const key = JSON.stringify(condition.conjuncts);
    const place = this.#places.get(key) ?? this.#conditions.length;
    if (place === this.#conditions.length) {
      this.#places.set(key, place);
      this.#conditions.push(condition);
    }
    return place;
  }

  get all(): readonly TurnCondition[] {
    return this.#conditions;
  }
}

/** What has to hold of a turn one after the other, and what of its call is read for that, as columns of the turn. */
export interface TurnCondition {
  readonly conjuncts: readonly string[];
  readonly parts: ReadonlySet<CallPart>;
}

export const partsOf = (conditions: readonly TurnCondition[]): ReadonlySet<CallPart> =>
  new Set(conditions.flatMap(({ parts }) => [...parts]));

/** SQL of the words that hold the bits of a turn, one bit per condition. */
export function turnWords(conditions: readonly Pick<TurnCondition, "conjuncts">[]): readonly string[] {
  const all = conditions.map(({ conjuncts }, place) => ({ conjuncts, place }));
  return wordsFor(all.length).map((word) => bitsOf(all.filter(({ place }) => wordOf(place) === word)));
}

interface Condition {
  readonly conjuncts: readonly string[];
  readonly place: number;
}

/** The bits of the conditions that hold; a CASE tries what is behind it only where it holds itself. */
function bitsOf(conditions: readonly Condition[]): string {
  const held = conditions.filter(({ conjuncts }) => conjuncts.length === 0);
  const byFirst = new Map<string, Condition[]>();
  for (const { conjuncts, place } of conditions) {
    const [first, ...rest] = conjuncts;
    if (first === undefined) continue;
    byFirst.set(first, [...(byFirst.get(first) ?? []), { conjuncts: rest, place }]);
  }
  const sum = held.reduce((bits, { place }) => bits | bitOf(place), 0n);
  const branches = [...byFirst].map(
    ([first, rest]) => `(CASE WHEN ${first} THEN ${bitsOf(rest)} ELSE 0 END)`,
  );
  return [...(sum === 0n && branches.length > 0 ? [] : [`${sum}::BIGINT`]), ...branches].join(" | ");
}
