import { counted } from "../../../../shared/words/numbers.ts";
import { HarnessError } from "../../base/errors.ts";
import type { Store } from "../../evidence/archive/store.ts";
import { outcomesByItem } from "../../evidence/queries/query.ts";
import { reportedScores, type StoredScore } from "../../evidence/queries/reportedScores.ts";
import type { ScoreAlone } from "../../statistics/comparison/compareScores.ts";
import { clusteredShare } from "../../statistics/intervals/proportions.ts";
import { collectOutcomes } from "../../statistics/scores/outcomes.ts";

/** The solve rate of a version on one set of items, and where it comes from. */
export interface ScoreOnSet extends ScoreAlone {
  /** What it was measured on; null where nobody says. */
  readonly set: string | null;
  readonly from: "rollouts" | "reported";
}

/**
 * The solve rates of a version without a look at its items, one for each set: those that were imported as scores, or else
 * that of its rollouts. @throws HarnessError notComparable where two scores stand for the same
 */
export async function scoresOf(store: Store, version: string): Promise<ScoreOnSet[]> {
  const reported = await reportedOf(store, version);
  if (reported.length > 0) return reported;
  const own = await rolloutScore(store, version);
  return own === null ? [] : [own];
}

/** The scores of a version that were imported without rollouts. @throws HarnessError notComparable as `scoresOf` */
export async function reportedOf(store: Store, version: string): Promise<ScoreOnSet[]> {
  const reported = await reportedScores(store, version);
  const sets = new Set(reported.map((row) => row.set ?? null));
  return [...sets].map((set) => ({
    ...joined(
      version,
      reported.filter((row) => (row.set ?? null) === set),
    ),
    set,
    from: "reported",
  }));
}

/** One score of the rows of a set: of each seed one, or a single row. */
function joined(version: string, rows: readonly StoredScore[]): ScoreAlone {
  const seeds = rows.flatMap(({ seed }) => (seed === undefined ? [] : [seed]));
  const [first, second] = rows;
  const isBySeed = seeds.length === rows.length && new Set(seeds).size === rows.length;
  if (first !== undefined && second !== undefined && !isBySeed)
    throw new HarnessError(
      "notComparable",
      `${version} has ${counted(rows.length, "score")} that stand for the same (${[...new Set(rows.map(({ path }) => path))].join(", ")}), and nothing says which counts; give them different sets or a seed each, or take one out.`,
    );
  const n = sum(rows, (row) => row.n);
  const items = new Set(rows.map((row) => row.items ?? null));
  const [known = null] = items.size === 1 ? items : [];
  return {
    score: sum(rows, (row) => row.score * row.n) / n,
    n,
    unknown: sum(rows, (row) => row.unknown ?? 0),
    items: known,
    fewest: known,
    bySeed: isBySeed && rows.length > 1 ? rows.map(({ score }) => score) : [],
    seeds: isBySeed ? rows.length : (first?.seeds ?? null),
  };
}

const sum = <T>(rows: readonly T[], of: (row: T) => number): number =>
  rows.reduce((total, row) => total + of(row), 0);

/** Of the rollouts of the selection split it is known how far those of an item agree. */
async function rolloutScore(store: Store, version: string): Promise<ScoreOnSet | null> {
  const outcomes = collectOutcomes(await outcomesByItem(store, { split: "selection", version }));
  const share = clusteredShare(outcomes.map(({ pass, fail }) => ({ labelled: pass, decided: pass + fail })));
  if (share === null) return null;
  const seeds = new Set(outcomes.flatMap((o) => (o.bySeed ?? []).map(({ seed }) => seed)));
  return {
    score: share.share,
    n: sum(outcomes, (o) => o.pass + o.fail),
    unknown: sum(outcomes, (o) => o.unknown),
    items: outcomes.filter((o) => o.pass + o.fail > 0).length,
    fewest: share.size,
    bySeed: [],
    seeds: seeds.size === 0 || seeds.has(null) ? null : seeds.size,
    set: null,
    from: "rollouts",
  };
}
