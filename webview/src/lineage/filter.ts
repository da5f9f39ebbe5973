import { labelsFound } from "../../../shared/model/labelShare.ts";
import { decisionLooks } from "../../../shared/words/decisions.ts";
import { decisions } from "../../../shared/protocol/views/lineage.ts";
import type { LineageTable } from "../../../shared/protocol/views/lineageTable.ts";

/** What can be filtered by a word and a colon. */
export const facets = ["status", "label", "factor", "author", "tag"] as const;
export type Facet = (typeof facets)[number];
export const orders = ["score", "label", "name", "factor", "author", "status", "generation"] as const;
export type Order = (typeof orders)[number];

/** One word of the filter box, as it is written. */
type Token = { readonly text: string; readonly isNot: boolean; readonly key: string; readonly value: string };

export type Filter = {
  /** By facet: the values one of which a version has to have, and those of which it may have none. */
  readonly is: ReadonlyMap<Facet, readonly string[]>;
  readonly isNot: ReadonlyMap<Facet, readonly string[]>;
  readonly scores: readonly { readonly sign: Sign; readonly value: number }[];
  /** In lower case; each has to occur somewhere. */
  readonly words: readonly string[];
  readonly order: { readonly by: Order; readonly descending: boolean } | null;
  /** What of the text says nothing, and how it is written. */
  readonly problem: string | null;
};

const signs = [">=", "<=", ">", "<"] as const;
type Sign = (typeof signs)[number];

/** Words, and values in double quotes with a key before them. */
function tokensOf(query: string): Token[] {
  return [...query.matchAll(/-?[\p{L}_]+:"[^"]*"?|"[^"]*"?|\S+/gu)].map(([text]) => {
    const isNot = /^-[\p{L}_]+:/u.test(text);
    const bare = isNot ? text.slice(1) : text;
    const colon = /^[\p{L}_]+:/u.test(bare) ? bare.indexOf(":") : -1;
    const value = bare.slice(colon + 1).replace(/^"([^"]*)"?$/, "$1");
    return { text, isNot, key: colon < 0 ? "" : bare.slice(0, colon).toLowerCase(), value };
  });
}

const isFacet = (key: string): key is Facet => facets.some((facet) => facet === key);
const isOrder = (key: string): key is Order => orders.some((order) => order === key);

/** A decision by its name or by the word that the view has for it. */
const statusOf = (word: string): string =>
  decisions.find((d) => d === word.toLowerCase() || decisionLooks[d].became === word.toLowerCase()) ?? word;

/** Reads what is written in the filter box. What cannot be read is told and filters nothing. */
export function parseFilter(query: string): Filter {
  const is = new Map<Facet, string[]>();
  const isNot = new Map<Facet, string[]>();
  const scores: Filter["scores"][number][] = [];
  const words: string[] = [];
  let order: Filter["order"] = null;
  let problem: string | null = null;
  for (const token of tokensOf(query)) {
    const { key, value } = token;
    if (isFacet(key)) {
      const into = token.isNot ? isNot : is;
      if (value !== "") into.set(key, [...(into.get(key) ?? []), key === "status" ? statusOf(value) : value]);
    } else if (key === "sort") {
      const by = value.replace(/^-/, "").toLowerCase();
      if (isOrder(by)) order = { by, descending: value.startsWith("-") };
      else
        problem = `The list cannot be sorted by “${token.text}”: write sort: and one of ${orders.join(", ")}.`;
    } else if (/^score[<>]/i.test(token.text)) {
      const [, sign = "", number = "", share] = /^score([<>]=?)([\d.]+)(\s*%)?$/i.exec(token.text) ?? [];
      const found = signs.find((s) => s === sign);
      if (found === undefined || !Number.isFinite(Number(number)))
        problem = `“${token.text}” is not a bound: write score>=0.3 or score<30%.`;
      else scores.push({ sign: found, value: Number(number) / (share === undefined ? 1 : 100) });
    } else words.push(token.text.replace(/^"([^"]*)"?$/, "$1").toLowerCase());
  }
  const written = words.filter((word) => word !== "");
  return { is, isNot, scores, words: written, order, problem };
}

const quoted = (value: string): string => (/[\s"]/.test(value) ? `"${value.replaceAll('"', "")}"` : value);

/** The text with the values of a facet, or the order, replaced by one; null takes them away. */
export function withToken(query: string, key: Facet | "sort", value: string | null): string {
  const others = tokensOf(query).filter((token) => token.key !== key || token.isNot);
  const made = value === null ? [] : [`${key}:${quoted(value)}`];
  return [...others.map(({ text }) => text), ...made].join(" ");
}

/** Which versions the filter lets through: 1 for those. Linear in the versions. */
export function matching(table: LineageTable, filter: Filter): Uint8Array {
  const found = new Uint8Array(table.total);
  const tests = testsOf(table, filter);
  for (let i = 0; i < table.total; i++)
    found[i] = table.known[i] === 1 && tests.every((test) => test(i)) ? 1 : 0;
  return found;
}

type Test = (i: number) => boolean;

function testsOf(table: LineageTable, { is, isNot, scores, words }: Filter): Test[] {
  const has = (facet: Facet, values: readonly string[]): Test => {
    const wanted = new Set(values);
    switch (facet) {
      case "status":
        return (i) => wanted.has(table.decisionOf(i));
      case "label":
        return (i) => labelsFound(table.labels[i] ?? []).some(({ name }) => wanted.has(name));
      case "factor":
        return (i) => wanted.has(table.factor[i] ?? "");
      case "author":
        return (i) => wanted.has(table.author[i] ?? "");
      case "tag":
        return (i) => table.saidOf(i).tags.some((tag) => wanted.has(tag));
    }
  };
  const within = { ">=": (a: number, b: number) => a >= b, "<=": (a: number, b: number) => a <= b } as const;
  const beyond = { ">": (a: number, b: number) => a > b, "<": (a: number, b: number) => a < b } as const;
  const compare = { ...within, ...beyond };
  return [
    ...[...is].map(([facet, values]) => has(facet, values)),
    ...[...isNot].map(([facet, values]): Test => {
      const test = has(facet, values);
      return (i) => !test(i);
    }),
    // A version without a score is within no bound.
    ...scores.map(
      ({ sign, value }): Test =>
        (i) =>
          compare[sign](table.counted(i), value),
    ),
    ...words.map(
      (word): Test =>
        (i) =>
          textHas(table, i, word),
    ),
  ];
}

function textHas(table: LineageTable, i: number, word: string): boolean {
  for (const column of ["name", "title", "reason", "factor", "author"] as const)
    if (table[column][i]?.toLowerCase().includes(word) === true) return true;
  const said = table.said.get(i);
  if (said === undefined) return false;
  return [said.alias ?? "", ...said.tags, ...said.notes.map(({ text }) => text)].some((text) =>
    text.toLowerCase().includes(word),
  );
}

/** Indices in the order asked for; of equals the newest comes first, and what has no value comes last. */
export function ordered(
  table: LineageTable,
  indices: readonly number[],
  { by, descending }: NonNullable<Filter["order"]>,
  labels: readonly string[],
): number[] {
  const sign = descending ? -1 : 1;
  const number = numberBy(table, by, labels);
  if (number !== undefined) {
    const keys = new Float64Array(table.total);
    for (const i of indices) keys[i] = number(i);
    return [...indices].sort((a, b) => {
      const [x, y] = [keys[a] ?? NaN, keys[b] ?? NaN];
      if (Number.isNaN(x) || Number.isNaN(y))
        return Number(Number.isNaN(x)) - Number(Number.isNaN(y)) || b - a;
      return sign * (x - y) || b - a;
    });
  }
  const texts = by === "name" ? table.name : by === "factor" ? table.factor : table.author;
  const collator = new Intl.Collator("en", { numeric: true });
  return [...indices].sort((a, b) => {
    const [x, y] = [texts[a] ?? "", texts[b] ?? ""];
    if (x === "" || y === "") return Number(x === "") - Number(y === "") || b - a;
    return sign * collator.compare(x, y) || b - a;
  });
}

function numberBy(
  table: LineageTable,
  by: Order,
  labels: readonly string[],
): ((i: number) => number) | undefined {
  switch (by) {
    case "score":
      return (i) => table.counted(i);
    case "status":
      return (i) => table.decision[i] ?? NaN;
    case "generation":
      return (i) => table.generation[i] ?? NaN;
    case "label":
      // The rate of the labels that are filtered by; of all where none is.
      return (i) => {
        const own = (table.labels[i] ?? []).flatMap(({ name, rate }) =>
          rate !== null && (labels.length === 0 || labels.includes(name)) ? [rate] : [],
        );
        return own.length === 0 ? NaN : Math.max(...own);
      };
    case "name":
    case "factor":
    case "author":
      return undefined;
  }
}

/** The values of a facet with how many versions have each, the most frequent first. */
export function facetValues(table: LineageTable, facet: Facet): { value: string; versions: number }[] {
  const counts = new Map<string, number>();
  const add = (value: string): void => {
    if (value !== "") counts.set(value, (counts.get(value) ?? 0) + 1);
  };
  for (let i = 0; i < table.total; i++) {
    if (table.known[i] !== 1) continue;
    if (facet === "status") add(table.decisionOf(i));
    else if (facet === "factor") add(table.factor[i] ?? "");
    else if (facet === "author") add(table.author[i] ?? "");
    else if (facet === "tag") for (const tag of table.said.get(i)?.tags ?? []) add(tag);
    else for (const { name } of labelsFound(table.labels[i] ?? [])) add(name);
  }
  return [...counts]
    .map(([value, versions]) => ({ value, versions }))
    .sort((a, b) => b.versions - a.versions || (a.value < b.value ? -1 : 1));
}

/** The filter after a click on a column: highest first, then lowest first, then by time again; words the other way round. */
export function sortedBy(query: string, by: Order): string {
  const { order } = parseFilter(query);
  const isTwice = order?.by === by;
  const isNumber = by === "score" || by === "label" || by === "generation";
  const first = isNumber ? `-${by}` : by;
  const second = isNumber ? by : `-${by}`;
  const isFirst = isTwice && order.descending === isNumber;
  return withToken(query, "sort", !isTwice ? first : isFirst ? second : null);
}
