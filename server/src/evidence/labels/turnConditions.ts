import type { CallPart } from "../contract/callParts.ts";
import { beginningOf } from "../../expression/regexLiteral.ts";
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
    const key = keyOf(condition);
    const place = this.#places.get(key) ?? this.#conditions.length;
    if (place === this.#conditions.length) {
      this.#places.set(key, place);
      this.#conditions.push(condition);
    }
    return place;
  }

  /** Undefined for one that was not added. */
  placeOf(condition: TurnCondition): number | undefined {
    return this.#places.get(keyOf(condition));
  }

  get all(): readonly TurnCondition[] {
    return this.#conditions;
  }
}

const keys = new WeakMap<TurnCondition, string>();

/** What two conditions have in common that are the same. It is asked for a condition as often as others name it. */
function keyOf(condition: TurnCondition): string {
  const key = keys.get(condition) ?? JSON.stringify(condition.conjuncts);
  keys.set(condition, key);
  return key;
}

/** SQL of what has to hold of a turn; `pattern` is set where it is that an expression of RE2 matches a text. */
export interface Conjunct {
  readonly sql: string;
  /** What holds wherever this does, and is told at once. */
  readonly needs?: string;
  readonly pattern?: { readonly text: string; readonly source: string };
}

/** What has to hold of a turn one after the other, and what of its call is read for that, as columns of the turn. */
export interface TurnCondition {
  readonly conjuncts: readonly Conjunct[];
  readonly parts: ReadonlySet<CallPart>;
  /** Whether it reads the call that the turn answers. */
  readonly answers: boolean;
}

export const partsOf = (conditions: readonly TurnCondition[]): ReadonlySet<CallPart> =>
  new Set(conditions.flatMap(({ parts }) => [...parts]));

/**
 * The words as columns `b0` … that the engine computes once. It would try every condition twice, because it pushes what WHERE asks
 * down to the texts; it does not where the value may be another one each time.
 */
export const wordsOnce = (words: readonly string[]): string[] =>
  words.map((sql, word) => `${sql} | (CASE WHEN random() > 1 THEN 1 ELSE 0 END) AS b${word}`);

/** SQL of the words that hold the bits of a turn, one bit per condition; one that is undefined is not asked, and holds of none. */
export function turnWords(
  conditions: readonly (Pick<TurnCondition, "conjuncts"> | undefined)[],
): readonly string[] {
  const asked = conditions.flatMap((condition, place) =>
    condition === undefined ? [] : [{ conjuncts: condition.conjuncts, place }],
  );
  return wordsFor(conditions.length).map((word) =>
    bitsOf(asked.filter(({ place }) => wordOf(place) === word)),
  );
}

interface Condition {
  readonly conjuncts: readonly Conjunct[];
  readonly place: number;
}

/** The bits of the conditions that hold; a CASE tries what is behind it only where it holds itself. */
function bitsOf(conditions: readonly Condition[]): string {
  const sum = conditions
    .filter(({ conjuncts }) => conjuncts.length === 0)
    .reduce((bits, { place }) => bits | bitOf(place), 0n);
  const byFirst = new Map<string, { readonly first: Conjunct; readonly rest: Condition[] }>();
  for (const { conjuncts, place } of conditions) {
    const [first, ...others] = conjuncts;
    if (first === undefined) continue;
    const branch = byFirst.get(first.sql) ?? { first, rest: [] };
    byFirst.set(first.sql, branch);
    branch.rest.push({ conjuncts: others, place });
  }
  const branches = [...byFirst.values()].map(({ first, rest }) => ({
    first,
    sql: branchOf(first.sql, bitsOf(rest)),
  }));
  const sums = matchedTogether(branches);
  return [...(sum === 0n && sums.length > 0 ? [] : [`${sum}::BIGINT`]), ...sums].join(" | ");
}

const branchOf = (condition: string, bits: string): string =>
  `(CASE WHEN ${condition} THEN ${bits} ELSE 0 END)`;

interface Branch {
  readonly first: Conjunct;
  readonly sql: string;
}

/** Several expressions are looked for in a text as one, and one by one only where that is found: nearly all texts match none. */
function matchedTogether(branches: readonly Branch[]): readonly string[] {
  const byText = new Map<string, { readonly branch: Branch; readonly source: string }[]>();
  for (const branch of branches) {
    const { pattern } = branch.first;
    const source = pattern === undefined ? undefined : joinable(pattern.source);
    if (pattern !== undefined && source !== undefined)
      byText.set(pattern.text, [...(byText.get(pattern.text) ?? []), { branch, source }]);
  }
  const joined = [...byText].filter(([, some]) => some.length > 1);
  const members = new Set(joined.flatMap(([, some]) => some.map(({ branch }) => branch)));
  return [
    ...branches.filter((branch) => !members.has(branch)).map(({ sql }) => sql),
    ...joined.map(([text, some]) => {
      const any = some.map(({ source }) => `(?:${source})`).join("|");
      return branchOf(
        `regexp_matches(${text}, ${textConstant(any)})`,
        some.map(({ branch }) => branch.sql).join(" | "),
      );
    }),
  ];
}

/**
 * An expression that is found wherever this one is, and can be looked for together with others: one with repetitions that are
 * counted, or with classes of Unicode, can be too large then; names clash.
 */
const joinable = (source: string): string | undefined =>
  source.length < 500 && !/\{|\(\?P?<|\\[pPQ]/.test(source) ? source : beginningOf(source, mostJoined);
const mostJoined = 60;

const textConstant = (text: string): string => `'${text.replaceAll("'", "''")}'`;
