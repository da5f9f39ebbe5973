import { shareOf, type Profile } from "./profile.ts";
import { editDistance, type Change } from "./editDistance.ts";
import type { Case } from "./case.ts";

/** What cases are compared with: a change, and what the version fails at that it is made of. */
export interface CaseQuestion {
  /** Null to ask by the failures alone. */
  readonly change: Change | null;
  readonly profile: Profile | null;
}

export interface NearCase {
  readonly case: Case;
  /** In [0, 1]: 0 for the same change of a version with the same failures. */
  readonly distance: number;
  /** Of the changes; null where none was asked about. */
  readonly edit: number | null;
  /** Of the failures of the two parents; null where they are not known. */
  readonly failures: number | null;
}

/** How much the change counts for, against the failures. */
const changeCounts = 0.6;

/** The nearest cases, the nearest first, the later one first where two are equally near. */
export function nearestCases(
  cases: readonly Case[],
  { change, profile }: CaseQuestion,
  limit: number,
): NearCase[] {
  const rates = tableOf(cases);
  const asked = profile === null ? null : rates.row(profile);
  const nearest: NearCase[] = [];
  for (const [i, one] of cases.entries()) {
    const edit = change === null ? null : editDistance(change, one);
    const failures = asked === null ? null : rates.distance(i, asked);
    const distance = together(edit, failures);
    if (nearest.length >= limit && distance > (nearest.at(-1)?.distance ?? 1)) continue;
    const place = nearest.findIndex((other) => distance <= other.distance);
    nearest.splice(place < 0 ? nearest.length : place, 0, { case: one, distance, edit, failures });
    if (nearest.length > limit) nearest.pop();
  }
  return nearest;
}

function together(edit: number | null, failures: number | null): number {
  if (edit === null) return failures ?? 1;
  return failures === null ? edit : changeCounts * edit + (1 - changeCounts) * failures;
}

/** The rates of many profiles as one table, so that ten thousand are compared at once. */
interface RateTable {
  row(profile: Profile): Float64Array;
  /** The share of the failures that two profiles do not have in common, in [0, 1]; null where one is empty. */
  distance(place: number, row: Float64Array): number | null;
}

const tables = new WeakMap<readonly Case[], RateTable>();

function tableOf(cases: readonly Case[]): RateTable {
  const known = tables.get(cases);
  if (known !== undefined) return known;
  const columns = new Map<string, number>();
  for (const { profile } of cases)
    for (const name of profile.rates.keys()) if (!columns.has(name)) columns.set(name, columns.size);
  const width = columns.size;
  const rates = new Float64Array(cases.length * width);
  cases.forEach(({ profile }, i) => {
    for (const [name, rate] of profile.rates) rates[i * width + (columns.get(name) ?? 0)] = shareOf(rate);
  });
  const table: RateTable = {
    row(profile) {
      // What no case has counts as well: it is something that they do not have in common.
      const row = new Float64Array(width + 1);
      for (const [name, rate] of profile.rates) {
        const column = columns.get(name);
        if (column === undefined) row[width] = (row[width] ?? 0) + shareOf(rate);
        else row[column] = shareOf(rate);
      }
      return row;
    },
    distance(place, row) {
      let apart = row[width] ?? 0;
      let all = row[width] ?? 0;
      for (let c = 0; c < width; c++) {
        const [a, b] = [row[c] ?? 0, rates[place * width + c] ?? 0];
        apart += Math.abs(a - b);
        all += Math.max(a, b);
      }
      return all === 0 ? null : apart / all;
    },
  };
  tables.set(cases, table);
  return table;
}
