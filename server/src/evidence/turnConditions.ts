import type { CallPart } from "./callParts.ts";
import { bitOf, wordOf, wordsFor } from "./bits.ts";

/**
 * Conditions on a turn that are tried in one reading of the turns, each of which a turn answers with one bit. A condition is
 * what has to hold one after the other, so that the dear comes last; what several begin with is tried once.
 */
export class TurnConditions {
  readonly #places = new Map<string, number>();
  readonly #conditions: (readonly string[])[] = [];
  /** What they read of a call, as columns of the turn. */
  readonly parts = new Set<CallPart>();

  /** The place of a condition; the same one for the same condition. */
  add(conjuncts: readonly string[]): number {
    const key = JSON.stringify(conjuncts);
    const place = this.#places.get(key) ?? this.#conditions.length;
    if (place === this.#conditions.length) {
      this.#places.set(key, place);
      this.#conditions.push(conjuncts);
    }
    return place;
  }

  get conditions(): readonly (readonly string[])[] {
    return this.#conditions;
  }

  get size(): number {
    return this.#conditions.length;
  }

  /** SQL of the words that hold the bits of a turn; `first` is what has to hold before the condition of a place is tried. */
  words(first: (place: number) => readonly string[] = () => []): readonly string[] {
    const all = this.#conditions.map((conjuncts, place) => ({
      conjuncts: [...first(place), ...conjuncts],
      place,
    }));
    return wordsFor(all.length).map((word) => bitsOf(all.filter(({ place }) => wordOf(place) === word)));
  }
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
