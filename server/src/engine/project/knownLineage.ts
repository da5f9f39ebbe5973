import { join } from "node:path";
import type { DiagnosticSpec } from "../../../../shared/spec/diagnostic.ts";
import { HarnessError } from "../../base/errors.ts";
import { exists } from "../../base/files.ts";
import { emptyLog, type EntryLog } from "../../lineage/entries/entryLog.ts";
import { buildLineage, domainsOf } from "../../lineage/graph.ts";
import type { VersionRecord } from "../../lineage/records/versionRecord.ts";
import { resolveCommit, type Repository } from "../../lineage/repository.ts";
import { sharedLedger } from "../../lineage/sharedLedger.ts";
import { loadProject, projectFile } from "../../project/project.ts";
import { repositoryOf } from "../workspace/repositoryOf.ts";
import { commitSource } from "./commitSource.ts";

/** The repository of a project, or undefined where there is only evidence. */
const repositoryIn = async (root: string): Promise<Repository | undefined> =>
  (await exists(join(root, projectFile))) ? repositoryOf(root) : undefined;

export interface KnownLineage {
  /** Undefined in a folder that only has evidence. */
  readonly repository: Repository | undefined;
  readonly entries: EntryLog;
  /** Versions of the project's domain. */
  readonly own: readonly VersionRecord[];
  /** Those of all domains by name; where two have one name, the project's own. */
  readonly byName: () => ReadonlyMap<string, VersionRecord>;
}

/** What the ledger knows of versions, read once; nothing in a folder that only has evidence. */
export async function knownLineage(root: string, domain: string): Promise<KnownLineage> {
  const repository = await repositoryIn(root);
  if (repository === undefined) return { repository, entries: emptyLog, own: [], byName: () => new Map() };
  const { entries } = await sharedLedger(repository).read();
  const own = buildLineage(entries, domain).versions;
  return { repository, entries, own, byName: () => namesIn(entries, domain) };
}

/** The versions of all domains by name; none where the ledger cannot be read, which is told elsewhere. */
export async function readableVersions(root: string): Promise<KnownLineage["byName"]> {
  try {
    return (await knownLineage(root, "")).byName;
  } catch (e) {
    if (HarnessError.is(e)) return () => new Map();
    throw e;
  }
}

type Names = ReadonlyMap<string, VersionRecord>;
const named = new WeakMap<EntryLog, Map<string, Names>>();

/** The versions of all domains by name; of the same entries they are found once. */
function namesIn(entries: EntryLog, domain: string): Names {
  const known = named.get(entries) ?? new Map<string, Names>();
  named.set(entries, known);
  const before = known.get(domain);
  if (before !== undefined) return before;
  const others = domainsOf(entries).filter((d) => d !== domain);
  const all = [...others, domain].flatMap((d) => buildLineage(entries, d).versions);
  const names = new Map(all.map((v) => [v.name, v]));
  known.set(domain, names);
  return names;
}

/** The diagnostic of a name as HEAD has it, or undefined. */
export async function committedDiagnostic(
  repository: Repository,
  name: string,
): Promise<DiagnosticSpec | undefined> {
  try {
    const { diagnostics } = await loadProject(
      commitSource(repository, await resolveCommit(repository, "HEAD")),
    );
    return diagnostics.find((d) => d.spec.name === name)?.spec;
  } catch (e) {
    // HEAD may lack a project, or have one that was mended since.
    if (HarnessError.is(e, "projectMissing") || HarnessError.is(e, "projectInvalid")) return undefined;
    throw e;
  }
}
