import type { Store } from "../store/database.ts";
import { noteArrival } from "../store/arrivals.ts";
import { bigintOf, numberOf, stringOf } from "../store/rows.ts";
import { forgetRegistrations } from "../store/registrations.ts";
import { dropRows } from "../ingest/dropRows.ts";
import { forgetIngestState } from "../ingest/ingest.ts";

/** A file whose metrics cannot be of the run that another file is of. */
export interface Contradiction {
  readonly path: string;
  /** The file that stays. */
  readonly other: string;
  readonly run: string;
  /** Steps of the file, and those of them that the other one has with other values. */
  readonly steps: number;
  readonly differing: number;
}

/** A run that was resumed repeats a few steps; one that differs in more of them than this is another run. */
const mostResumed = 0.5;

/**
 * Takes files of metrics out again that say something else than another file of the run in most of their steps: laid over
 * each other, two runs would look like one. What was there before the source `from` stays; of two new files the longer one.
 */
export async function takeOutContradicting(
  store: Store,
  runs: readonly string[],
  from: bigint,
): Promise<Contradiction[]> {
  if (runs.length === 0) return [];
  const rows = await store.query({
    sql: `WITH asked AS (SELECT unnest(from_json(?, '["VARCHAR"]')) AS run),
               said AS (SELECT run, source, step, name, arg_max(value, line) AS value FROM metrics SEMI JOIN asked USING (run)
                        WHERE value IS NOT NULL GROUP BY run, source, step, name),
               several AS (SELECT run FROM said GROUP BY run HAVING count(DISTINCT source) > 1),
               steps AS (SELECT source, count(DISTINCT step) AS n FROM said SEMI JOIN several USING (run) GROUP BY source),
               compared AS (FROM said SEMI JOIN several USING (run)),
               apart AS (SELECT b.run, a.source AS other, b.source, count(DISTINCT b.step) AS differing
                         FROM compared a JOIN compared b USING (run, step, name)
                         WHERE a.source <> b.source AND a.value <> b.value GROUP BY b.run, a.source, b.source)
          SELECT p.run, p.source, p.differing, s.path, f.path AS other, own.n AS steps
          FROM apart p JOIN sources s ON s.source = p.source JOIN sources f ON f.source = p.other
               JOIN steps own ON own.source = p.source JOIN steps others ON others.source = p.other
          WHERE p.source >= ? AND p.differing > ${mostResumed} * least(own.n, others.n)
                AND (p.other < ? OR (own.n, -p.source) < (others.n, -p.other))
          QUALIFY row_number() OVER (PARTITION BY p.source ORDER BY p.other) = 1 ORDER BY p.source`,
    params: [JSON.stringify(runs), from, from],
  });
  if (rows.length === 0) return [];
  const files = rows.map((row) => ({
    source: bigintOf(row, "source"),
    path: stringOf(row, "path"),
    whole: true,
  }));
  await forgetRegistrations(
    store.path,
    files.map(({ path }) => ({ forget: path })),
  );
  await dropRows(store, files);
  forgetIngestState(store);
  noteArrival(store);
  return rows.map((row) => ({
    path: stringOf(row, "path"),
    other: stringOf(row, "other"),
    run: stringOf(row, "run"),
    steps: numberOf(row, "steps"),
    differing: numberOf(row, "differing"),
  }));
}

/** A file that gives metrics of a step several values. */
export interface SaysSeveral {
  readonly path: string;
  readonly run: string;
  readonly steps: number;
  readonly differing: number;
}

/**
 * Files of metrics of these runs in which most steps have a metric with several values: two runs in one file, or a line for each
 * part of a step. Which of the two it is the file does not say; the last line of a step counts.
 */
export async function saysSeveral(store: Store, runs: readonly string[]): Promise<SaysSeveral[]> {
  if (runs.length === 0) return [];
  const rows = await store.query({
    sql: `WITH asked AS (SELECT unnest(from_json(?, '["VARCHAR"]')) AS run),
               named AS (SELECT run, source, step, name, min(value) < max(value) AS differs
                         FROM metrics SEMI JOIN asked USING (run) WHERE isfinite(value) GROUP BY run, source, step, name),
               steps AS (SELECT run, source, step, bool_or(differs) AS differs FROM named GROUP BY run, source, step)
          SELECT t.run, s.path, count(*) AS steps, count(*) FILTER (differs) AS differing
          FROM steps t JOIN sources s USING (source) GROUP BY t.run, t.source, s.path
          HAVING count(*) FILTER (differs) > ${mostResumed} * count(*) ORDER BY s.path`,
    params: [JSON.stringify(runs)],
  });
  return rows.map((row) => ({
    path: stringOf(row, "path"),
    run: stringOf(row, "run"),
    steps: numberOf(row, "steps"),
    differing: numberOf(row, "differing"),
  }));
}
