import { numberOf, stringOf } from "../../evidence/store/rows.ts";
import { evidenceStandings } from "./evidenceStanding.ts";
import { defineService } from "../workspace/service.ts";

/** Versions that the archive has evidence of, with how many rollouts of each open split, in the order of arrival. */
export const versionsList = defineService("versions.list", {
  repeatable: true,
  async run({ store, root }) {
    const standings = await evidenceStandings(root);
    const rows = await store.query({
      sql: `SELECT version, count(*) FILTER (split = 'train') AS train, count(*) FILTER (split = 'selection') AS selection,
                   count(*) FILTER (is_score) AS scores
            FROM (SELECT version, split, rid, false AS is_score FROM rollouts
                  UNION ALL SELECT DISTINCT version, NULL, NULL, false FROM metrics
                  UNION ALL SELECT version, NULL, NULL, true FROM scores)
            GROUP BY version ORDER BY min(rid) NULLS LAST, version`,
      params: [],
    });
    return rows.map((row) => {
      const version = stringOf(row, "version");
      const standing = standings(version);
      return {
        version,
        train: numberOf(row, "train"),
        selection: numberOf(row, "selection"),
        scores: numberOf(row, "scores"),
        ...(standing === undefined ? {} : { standing }),
      };
    });
  },
});
