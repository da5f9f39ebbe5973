import { existsSync } from "node:fs";
import { resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { skipBecause } from "../base/skip.ts";
import type { Adapter } from "../../../server/src/evidence/adapters/parts/adapter.ts";
import { adapterNamed } from "../../../server/src/evidence/adapters/registry.ts";
import type { Rollout } from "../../../shared/model/rollout.ts";
import type { Store } from "../../../server/src/evidence/store/database.ts";
import { readRollout } from "../../../server/src/evidence/queries/readRollout.ts";
import { stringOf } from "../../../server/src/evidence/store/rows.ts";
import { importFiles } from "../../../server/src/evidence/importing/importFiles.ts";
import type { ImportCounts, ImportRun } from "../../../server/src/evidence/importing/importRun.ts";
import {
  noNotes,
  planImport,
  type PlanNotes,
  type PlanOptions,
} from "../../../server/src/evidence/importing/plan.ts";

export interface ImportResult {
  readonly counts: ImportCounts;
  readonly skipped: PlanNotes;
}

/** For tests: what `evotrainer import` does with the paths. */
export async function importPaths(
  store: Store,
  paths: readonly string[],
  options: Omit<PlanOptions, "paths" | "as"> & { as?: string | Adapter } & Partial<ImportRun> = {},
): Promise<ImportResult> {
  const { as, ...rest } = options;
  const skipped = noNotes();
  const adapter = typeof as === "string" ? await adapterNamed(as) : as;
  const plan = planImport(store, { ...rest, paths, as: adapter }, skipped);
  return { counts: await importFiles({ ...rest, store }, plan), skipped };
}

/** For tests: every rollout of the archive in the order of arrival, as the contract has it. */
export async function allRollouts(store: Store): Promise<Rollout[]> {
  const rows = await store.query({
    sql: "SELECT run, id FROM rollouts WHERE split <> 'audit' ORDER BY rid",
    params: [],
  });
  const found: Rollout[] = [];
  for (const row of rows)
    found.push((await readRollout(store, { within: stringOf(row, "run"), id: stringOf(row, "id") })).rollout);
  return found;
}

/** For tests: how often each value of a column of the rollouts occurs. */
export async function tally(store: Store, column: string): Promise<Record<string, number>> {
  const rows = await store.query({
    sql: `SELECT coalesce(CAST(${column} AS VARCHAR), 'null') AS v, count(*)::INT AS n FROM rollouts GROUP BY v ORDER BY v`,
    params: [],
  });
  return Object.fromEntries(rows.map((row) => [stringOf(row, "v"), Number(row["n"])]));
}

/** For tests: the path of a set of real files; where the folder is missing, the test is skipped by name. */
export function fixtureSet(context: Mocha.Context, name: string): string {
  const root =
    process.env["EVOTRAINER_FIXTURES"] ??
    fileURLToPath(new URL("../../../../shared/fixtures", import.meta.url));
  const path = resolve(root, name);
  return existsSync(path)
    ? path
    : skipBecause(context, `the real files ${name} are not here; set EVOTRAINER_FIXTURES`);
}

/** For tests: the path of an excerpt of a real file that lies in test/data/traces. */
export const traceFile = (name: string): string =>
  fileURLToPath(new URL(`../../data/traces/${name}`, import.meta.url));
