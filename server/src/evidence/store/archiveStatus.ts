import { stat } from "node:fs/promises";
import type { Store } from "./database.ts";
import { bigintOf, numberOf, stringOf } from "./rows.ts";
import { filePath } from "./sources.ts";

/** What the archive has of one version, over all splits: numbers of rows, nothing of what is in them. */
export interface VersionRows {
  readonly version: string;
  readonly files: number;
  readonly rollouts: number;
  readonly turns: number;
  /** Turns whose text was dropped. */
  readonly trimmedTurns: number;
  readonly metrics: number;
  readonly quarantined: number;
}

export interface ArchiveStatus {
  readonly path: string;
  /** The database file with its log. */
  readonly archiveBytes: number;
  /** Bytes of it that hold nothing any more: what `compactStore` gives back at least. */
  readonly reclaimableBytes: number;
  /** The registered evidence files that are there. */
  readonly evidenceBytes: number;
  readonly evidenceFiles: number;
  /** Registered files that are gone: a rebuild would lose their rows. */
  readonly missingFiles: readonly string[];
  readonly versions: readonly VersionRows[];
}

/** How large the archive is, what is in it, and what compaction would give back. */
export async function archiveStatus(store: Store): Promise<ArchiveStatus> {
  const [size] = await store.query({
    sql: `SELECT (free_blocks * block_size)::BIGINT AS free FROM pragma_database_size() WHERE database_name = 'archive'`,
    params: [],
  });
  const sources = await store.query({ sql: "SELECT path FROM sources ORDER BY source", params: [] });
  const paths = sources.map((row) => stringOf(row, "path"));
  const sizes = await Promise.all(paths.map((path) => sizeOf(filePath(store, path))));
  const present = sizes.filter((bytes) => bytes !== undefined);
  const files = await Promise.all([store.path, `${store.path}.wal`].map(sizeOf));
  return {
    path: store.path,
    archiveBytes: sum(files.map((bytes) => bytes ?? 0)),
    reclaimableBytes: Number(bigintOf(size ?? {}, "free")),
    evidenceBytes: sum(present),
    evidenceFiles: present.length,
    missingFiles: paths.filter((_, i) => sizes[i] === undefined),
    versions: await rowsPerVersion(store),
  };
}

async function rowsPerVersion(store: Store): Promise<VersionRows[]> {
  const rows = await store.query({
    sql: `WITH told AS (SELECT DISTINCT source, version FROM metrics),
               named AS (FROM told UNION ALL SELECT source, version FROM sources WHERE source NOT IN (SELECT source FROM told)),
               r AS (SELECT version, count(*) AS n FROM rollouts GROUP BY version),
               t AS (SELECT r.version, count(*) AS n, count(*) FILTER (t.text IS NULL) AS trimmed
                     FROM turns t JOIN rollouts r USING (rid) GROUP BY r.version),
               m AS (SELECT version, count(*) AS n FROM metrics GROUP BY version),
               q AS (SELECT version, count(*) AS n FROM quarantine JOIN named USING (source) GROUP BY version)
          SELECT s.version, count(*) AS files, coalesce(any_value(r.n), 0) AS rollouts,
                 coalesce(any_value(t.n), 0) AS turns, coalesce(any_value(t.trimmed), 0) AS trimmed,
                 coalesce(any_value(m.n), 0) AS metrics, coalesce(any_value(q.n), 0) AS quarantined
          FROM named s LEFT JOIN r USING (version) LEFT JOIN t USING (version) LEFT JOIN m USING (version)
               LEFT JOIN q USING (version)
          GROUP BY s.version ORDER BY min(s.source), s.version`,
    params: [],
  });
  return rows.map((row) => ({
    version: stringOf(row, "version"),
    files: numberOf(row, "files"),
    rollouts: numberOf(row, "rollouts"),
    turns: numberOf(row, "turns"),
    trimmedTurns: numberOf(row, "trimmed"),
    metrics: numberOf(row, "metrics"),
    quarantined: numberOf(row, "quarantined"),
  }));
}

const sum = (values: readonly number[]): number => values.reduce((a, b) => a + b, 0);

/** Undefined when there is no such file. */
async function sizeOf(path: string): Promise<number | undefined> {
  return stat(path).then(
    ({ size }) => size,
    () => undefined,
  );
}
