import type { Store } from "./database.ts";
import type { SourceKey } from "./registrations.ts";
import { bigintOf, stringOf, stringOrNull } from "./rows.ts";

// What a version of the project is judged by is what its own jobs wrote into the folders of their runs.

type Place = Pick<SourceKey, "path" | "run">;

/** Whether a file lies in the folder of its run. */
export const isOfRun = ({ path, run }: Place): boolean => run !== null && path.startsWith(`${run}/`);

/** Why a file that lies elsewhere is not taken for evidence of its version; undefined where it may be. */
export async function whyNotCounted(
  store: Pick<Store, "isOwnVersion">,
  key: Place & Pick<SourceKey, "version">,
): Promise<string | undefined> {
  if (isOfRun(key) || !(await store.isOwnVersion(key.version))) return undefined;
  return `${key.version} is a version of this project, and only what its own jobs wrote counts for it; import the file as another version (--version <name>)`;
}

/** Evidence that the archive has of a version, and that no job of the project wrote. */
export interface Elsewhere {
  /** One file of it. */
  readonly path: string;
  /** The runs that such files told of. */
  readonly runs: readonly string[];
}

/** What the archive has of a version from elsewhere; undefined without any. */
export async function importedAs(
  store: Pick<Store, "query">,
  version: string,
): Promise<Elsewhere | undefined> {
  const sources = await store.query({
    sql: "SELECT source, path, run FROM sources WHERE version = ? ORDER BY source",
    params: [version],
  });
  const other = sources.filter(
    (row) => !isOfRun({ path: stringOf(row, "path"), run: stringOrNull(row, "run") }),
  );
  const [first] = other;
  if (first === undefined) return undefined;
  const rows = await store.query({
    sql: `SELECT DISTINCT run FROM (SELECT source, run FROM rollouts UNION ALL SELECT source, run FROM metrics)
          WHERE source IN (${other.map(() => "?").join(", ")}) ORDER BY run`,
    params: other.map((row) => bigintOf(row, "source")),
  });
  return { path: stringOf(first, "path"), runs: rows.map((row) => stringOf(row, "run")) };
}
