import { join } from "node:path";
import type { LedgerEntry } from "../../../shared/model/ledger.ts";
import { HarnessError } from "../base/errors.ts";
import { exists } from "../base/files.ts";
import { openLedger } from "../lineage/ledger.ts";
import { openRepository } from "../lineage/repository.ts";
import { projectFile } from "../project/project.ts";

/** What the ledger knows of a version that its evidence does not say. */
export interface PlaceInLineage {
  readonly parent: string | null;
  /** Its parent, the parent of that, and so on to the base version. */
  readonly ancestors: readonly string[];
  /** Failure class of its last training job; null when it finished, or when there was none. */
  readonly jobFailure: string | null;
}

/** A version's ancestors and the end of its last job, of what the ledger says. */
export function placeIn(entries: readonly LedgerEntry[], version: string): PlaceInLineage {
  const parents = new Map<string, string | null>();
  let jobFailure: PlaceInLineage["jobFailure"] = null;
  for (const entry of entries) {
    if (entry.type === "version") parents.set(entry.version, entry.parent);
    if (entry.type === "job" && entry.version === version) jobFailure = entry.failure;
  }
  const ancestors: string[] = [];
  // A ledger that was merged or edited may hold a circle.
  for (let at = parents.get(version); at != null && at !== version && !ancestors.includes(at);)
    at = parents.get(ancestors[ancestors.push(at) - 1] ?? "");
  return { parent: parents.get(version) ?? null, ancestors, jobFailure };
}

/** The same of the project in a folder; nothing is known where there is no project, or no repository. */
export async function placeOfVersion(root: string, version: string): Promise<PlaceInLineage> {
  if (!(await exists(join(root, projectFile)))) return placeIn([], version);
  try {
    const repository = await openRepository(root, { readOnly: true });
    return placeIn((await openLedger(repository).read()).entries, version);
  } catch (e) {
    // Evidence can be looked at without a lineage.
    if (HarnessError.is(e)) return placeIn([], version);
    throw e;
  }
}
