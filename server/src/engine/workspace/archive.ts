import { join } from "node:path";
import { evidenceFileNames } from "../../../../shared/ledger/closingEntry.ts";
import { evidenceChangeText, isTold } from "../../../../shared/words/closedEvidence.ts";
import { isPlain } from "../../base/plainFile.ts";
import { ingestFile } from "../../evidence/ingest/ingest.ts";
import type { Store } from "../../evidence/archive/store.ts";
import type { Workspace } from "./workspace.ts";

/** Runs of all jobs, one folder each, under the engine's folder. */
export function runsFolder(workspace: Pick<Workspace, "engineFolder">): string {
  return join(workspace.engineFolder, "runs");
}

/** The archive's file; it may not exist yet. */
export function archivePath({ engineFolder }: Pick<Workspace, "engineFolder">): string {
  return join(engineFolder, "archive.duckdb");
}

/**
 * Brings what a run has written into the archive; `final` once its job is over, so that a torn last line is told. Of a run
 * that is closed what it was then counts: `changed` says what became of its files since.
 */
export async function collectRun(
  store: Store,
  options: { runDir: string; run: string; version: string; final: boolean },
): Promise<{ rows: number; quarantined: number; changed: string[] }> {
  const changed: string[] = [];
  let rows = 0;
  let quarantined = 0;
  // What the keeper measured of the GPUs is metrics as well.
  for (const name of evidenceFileNames) {
    const kind = name === "rollouts.jsonl" ? "rollouts" : "metrics";
    const path = join(options.runDir, name);
    // A job may have laid something else there, of which nothing is read.
    if (!(await isPlain(path))) continue;
    const report = await ingestFile(store, {
      path,
      kind,
      run: options.run,
      version: options.version,
      final: options.final,
    });
    rows += kind === "rollouts" ? report.rows : 0;
    quarantined += report.bad;
    if (report.change !== undefined && isTold(report.change)) changed.push(evidenceChangeText(report.change));
  }
  return { rows, quarantined, changed };
}
