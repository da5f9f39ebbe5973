import type { ReportedScore } from "../../../../shared/model/reportedScore.ts";
import type { Store } from "../archive/store.ts";
import { numberOf, numberOrNull, stringOf, stringOrNull } from "../store/rows.ts";

/** A score as it was imported, and the file that has it. */
export interface StoredScore extends ReportedScore {
  readonly path: string;
}

/** The scores of a version that came without rollouts, in the order of their import. */
export async function reportedScores(store: Store, version: string): Promise<StoredScore[]> {
  const rows = await store.query({
    sql: `SELECT s.*, f.path FROM scores s JOIN sources f USING (source) WHERE s.version = ?
          ORDER BY s.source, s.line`,
    params: [version],
  });
  return rows.map((row) => {
    const [items, seed, seeds] = [
      numberOrNull(row, "items"),
      numberOrNull(row, "seed"),
      numberOrNull(row, "seeds"),
    ];
    const [set, note] = [stringOrNull(row, "set"), stringOrNull(row, "note")];
    return {
      version,
      score: numberOf(row, "score"),
      n: numberOf(row, "n"),
      unknown: numberOf(row, "unknown"),
      path: stringOf(row, "path"),
      ...(items === null ? {} : { items }),
      ...(seed === null ? {} : { seed }),
      ...(seeds === null ? {} : { seeds }),
      ...(set === null ? {} : { set }),
      ...(note === null ? {} : { note }),
    };
  });
}
