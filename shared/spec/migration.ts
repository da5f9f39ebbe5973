import { apiVersion } from "./common.ts";

/** One change between two versions of the format, at a dotted path of the older one. */
export type MigrationStep =
  | { readonly type: "renameKey"; readonly path: string; readonly to: string }
  | { readonly type: "setValue"; readonly path: string; readonly to: string | number | boolean };

/** How a spec of one version of the format becomes one of the next. */
export type Migration = {
  readonly from: string;
  readonly to: string;
  /** Steps by the value of `kind`. */
  readonly steps: Readonly<Record<string, readonly MigrationStep[]>>;
};

/** Every migration, oldest first. evotrainer/v1 is the first version of the format: there is none yet. */
export const migrations: readonly Migration[] = [];

/** The migrations that lead from a version to the current one, in order; undefined when none does. */
export function migrationsFrom(
  version: string,
  known: readonly Migration[] = migrations,
  current: string = apiVersion,
): readonly Migration[] | undefined {
  const path: Migration[] = [];
  for (let at = version; at !== current;) {
    const next = known.find(({ from }) => from === at);
    if (!next || path.includes(next)) return undefined;
    path.push(next);
    at = next.to;
  }
  return path;
}
