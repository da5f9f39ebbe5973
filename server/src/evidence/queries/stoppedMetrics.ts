import { listed } from "../../base/similar.ts";
import type { Store } from "../store/database.ts";
import { bigintOf, numberOf, stringOf } from "../store/rows.ts";

/** A metric that a run wrote at its steps until one of them, and not at those after it. */
export interface StoppedMetric {
  /** Null where the version has no other. */
  readonly run: string | null;
  readonly name: string;
  /** The last step at which it was written. */
  readonly last: number;
  /** The last step of the run. */
  readonly end: number;
}

/** A metric that was written less often may be one that is written now and then, or only in the beginning. */
const fewestWritten = 5;
/** So many steps without it may be lines that are still being written, or the last words of a trainer. */
const fewestMissed = 5;
/** What is written every ten steps is missed after thirty. */
const longestGaps = 3;

/** The last place at which a run wrote a metric. */
interface Ending {
  readonly run: string;
  readonly name: string;
  readonly written: number;
  readonly last: number;
  readonly source: bigint;
  readonly line: number;
}

/**
 * The metrics that runs of a version stopped to write. Which steps it was to be written at is told by another metric, one that was
 * written along with it the last time and goes on: evaluations, or updates, may be counted in another way than steps are.
 */
export async function stoppedMetrics(store: Store, version: string): Promise<readonly StoppedMetric[]> {
  const all = await endings(store, version);
  const ends = new Map<string, number>();
  for (const { run, last } of all) ends.set(run, Math.max(last, ends.get(run) ?? 0));
  const ended = all.filter(
    ({ run, written, last }) => written >= fewestWritten && last < (ends.get(run) ?? 0),
  );
  if (ended.length === 0) return [];
  const companions = await companionsOf(store, version, { ended, all });
  const steps = await stepsOf(store, version, [...ended, ...companions.values()]);
  return ended.flatMap((one) => {
    const companion = companions.get(placeOf(one));
    if (companion === undefined) return [];
    const isStopped = hasStopped(one, steps.get(nameOf(one)) ?? [], steps.get(nameOf(companion)) ?? []);
    const { run, name, last } = one;
    return isStopped ? [{ run: ends.size > 1 ? run : null, name, last, end: ends.get(run) ?? 0 }] : [];
  });
}

const nameOf = ({ run, name }: Pick<Ending, "run" | "name">): string => JSON.stringify([run, name]);
const placeOf = ({ run, source, last }: Pick<Ending, "run" | "source" | "last">): string =>
  JSON.stringify([run, String(source), last]);

async function endings(store: Store, version: string): Promise<readonly Ending[]> {
  const rows = await store.query({
    sql: `SELECT run, name, count(DISTINCT step) AS written, max(step) AS last,
                 arg_max(source, (step, source, line)) AS source, arg_max(line, (step, source, line)) AS line
          FROM metrics WHERE version = ? GROUP BY run, name ORDER BY run, name`,
    params: [version],
    of: [version],
  });
  return rows.map((row) => ({
    run: stringOf(row, "run"),
    name: stringOf(row, "name"),
    written: numberOf(row, "written"),
    last: numberOf(row, "last"),
    source: bigintOf(row, "source"),
    line: numberOf(row, "line"),
  }));
}

/** By the place at which metrics ended: of those that were written there and go on, the one that is written most often. */
async function companionsOf(
  store: Store,
  version: string,
  { ended, all }: { readonly ended: readonly Ending[]; readonly all: readonly Ending[] },
): Promise<ReadonlyMap<string, Ending>> {
  const byName = new Map(all.map((one) => [nameOf(one), one]));
  const places = new Map(ended.map((one) => [placeOf(one), one]));
  const asked = [...places.values()].map(({ run, source, last }) => ({
    run,
    source: String(source),
    step: last,
  }));
  const rows = await store.query({
    sql: `WITH asked AS (SELECT unnest(from_json(?, '[{"run": "VARCHAR", "source": "BIGINT", "step": "BIGINT"}]'), recursive := true))
          SELECT DISTINCT m.run, m.source, m.step, m.name FROM metrics m
          JOIN asked a ON a.run = m.run AND a.source = m.source AND a.step = m.step WHERE m.version = ? ORDER BY m.name`,
    params: [JSON.stringify(asked), version],
    of: [version],
  });
  const found = new Map<string, Ending>();
  for (const row of rows) {
    const [run, last] = [stringOf(row, "run"), numberOf(row, "step")];
    const place = placeOf({ run, source: bigintOf(row, "source"), last });
    const other = byName.get(nameOf({ run, name: stringOf(row, "name") }));
    if (other !== undefined && other.last > last && other.written > (found.get(place)?.written ?? 0))
      found.set(place, other);
  }
  return found;
}

/** A step at which a metric was written, with the last line that says so. */
interface Written {
  readonly step: number;
  readonly source: bigint;
  readonly line: number;
}

async function stepsOf(
  store: Store,
  version: string,
  metrics: readonly Pick<Ending, "run" | "name">[],
): Promise<ReadonlyMap<string, readonly Written[]>> {
  const asked = [...new Map(metrics.map(({ run, name }) => [nameOf({ run, name }), { run, name }])).values()];
  const rows = await store.query({
    sql: `WITH asked AS (SELECT unnest(from_json(?, '[{"run": "VARCHAR", "name": "VARCHAR"}]'), recursive := true))
          SELECT m.run, m.name, m.step, max(m.source) AS source, arg_max(m.line, (m.source, m.line)) AS line
          FROM metrics m JOIN asked a ON a.run = m.run AND a.name = m.name
          WHERE m.version = ? GROUP BY m.run, m.name, m.step ORDER BY m.step`,
    params: [JSON.stringify(asked), version],
    of: [version],
  });
  const found = new Map<string, Written[]>();
  for (const row of rows) {
    const name = nameOf({ run: stringOf(row, "run"), name: stringOf(row, "name") });
    const steps = found.get(name) ?? [];
    found.set(name, steps);
    const [step, line] = [numberOf(row, "step"), numberOf(row, "line")];
    steps.push({ step, source: bigintOf(row, "source"), line });
  }
  return found;
}

/** Whether a metric is missed for much longer than it ever was, by the steps of another one, all in ascending order. */
function hasStopped(of: Ending, own: readonly Written[], other: readonly Written[]): boolean {
  // What was written before it is no step without it, however it is counted.
  const missed = other.filter(
    ({ step, source, line }) => step > of.last && (source !== of.source || line > of.line),
  ).length;
  let [longest, gap, i] = [0, 0, 0];
  for (const { step } of other) {
    if (step > of.last) break;
    if (step > (own[0]?.step ?? 0)) gap++;
    while (i < own.length && (own[i]?.step ?? 0) < step) i++;
    if (own[i]?.step !== step) continue;
    longest = Math.max(longest, gap);
    gap = 0;
  }
  return missed >= Math.max(fewestMissed, longestGaps * longest);
}

/** The metrics of each place, in words: `actor/entropy and kl (last at step 50 of 200)`. */
export function stoppedText(stopped: readonly StoppedMetric[]): string | null {
  const places = new Map<string, { readonly of: StoppedMetric; readonly names: string[] }>();
  for (const one of stopped.toSorted((a, b) => a.last - b.last)) {
    const key = JSON.stringify([one.run, one.last]);
    const place = places.get(key) ?? { of: one, names: [] };
    places.set(key, place);
    place.names.push(one.name);
  }
  const texts = [...places.values()].map(
    ({ of: { run, last, end }, names }) =>
      `${someOf(names)} (last at step ${last} of ${end}${run === null ? "" : ` in ${run}`})`,
  );
  return texts.length === 0 ? null : texts.join("; ");
}

const someOf = (names: readonly string[]): string =>
  names.length > 4 ? listed([...names.slice(0, 3), `${names.length - 3} more`], "and") : listed(names, "and");
