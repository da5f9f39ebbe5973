import type { MeasuredOn } from "../../../../shared/ledger/measures.ts";
import { HarnessError } from "../../base/errors.ts";
import type { VersionRecord } from "../../lineage/records/versionRecord.ts";
import type { Repository } from "../../lineage/repository.ts";
import {
  identitySchema,
  measuredFiles,
  measuredOn,
  type MeasuredFiles,
} from "../../project/identity/evaluationIdentity.ts";
import { whyNotComparable, type Basis } from "../../project/identity/identityDifference.ts";
import { projectOrBare } from "./bareProject.ts";
import { knownLineage, type KnownLineage } from "./knownLineage.ts";

/** Whether two versions were measured on the same: why not, and what nobody could find out. */
export interface Comparability {
  /** Why they cannot be compared, in a sentence; null where they can. */
  readonly refusal: string | null;
  readonly notes: readonly string[];
}

/** A version, and what the ledger says it was measured on. */
type Known = Pick<VersionRecord, "name" | "commit" | "origin"> & {
  readonly recorded: MeasuredOn | undefined;
};

export function recordedOf(version: VersionRecord): Known {
  const { name, commit, origin, evidence } = version;
  const recorded = evidence.selection?.measuredOn ?? evidence.audit?.measuredOn;
  return { name, commit, origin, recorded };
}

/** By what the ledger recorded of them, or by their commits where it did not. */
export async function comparability(repository: Repository, a: Known, b: Known): Promise<Comparability> {
  // What another tool measured has no commit that says on what.
  if (a.name === b.name || a.origin !== undefined || b.origin !== undefined)
    return { refusal: null, notes: [] };
  const [one, other] = [await digestsOf(repository, a), await digestsOf(repository, b)];
  const unknown = [one === undefined ? a.name : "", other === undefined ? b.name : ""].filter(
    (name) => name !== "",
  );
  if (one === undefined || other === undefined) return { refusal: null, notes: [notTold(unknown)] };
  const [left, right] =
    one.hasData && other.hasData ? [one.told, other.told] : [bare(one.told), bare(other.told)];
  if (left.digest === right.digest) return { refusal: null, notes: [] };
  const basis = async ({ name, commit }: Known, told: MeasuredOn): Promise<Basis> => ({
    ...{ version: name, measuredOn: told },
    files: await filesOf(repository, commit),
  });
  const refusal = whyNotComparable(await basis(a, left), await basis(b, right));
  return { refusal: refusal ?? null, notes: [] };
}

/**
 * What nobody could find out about two versions, a sentence each. Versions that only have evidence are compared as they are.
 * @throws HarnessError notComparable when they were not measured on the same
 */
export async function assertComparable(
  { repository, byName }: Pick<KnownLineage, "repository" | "byName">,
  a: string,
  b: string,
): Promise<readonly string[]> {
  const [one, other] = [byName().get(a), byName().get(b)];
  if (repository === undefined || one === undefined || other === undefined) return [];
  const { refusal, notes } = await comparability(repository, recordedOf(one), recordedOf(other));
  if (refusal !== null) throw new HarnessError("notComparable", refusal);
  return notes;
}

/** As `assertComparable`, of the project in a folder. */
export async function assertComparableIn(root: string, a: string, b: string): Promise<readonly string[]> {
  const { domain } = await projectOrBare(root);
  return assertComparable(await knownLineage(root, domain), a, b);
}

interface Digests {
  readonly told: MeasuredOn;
  /** Whether it is known what git does not have. */
  readonly hasData: boolean;
}

/** Undefined where the ledger says nothing and the commit is gone, or is none of this release. */
async function digestsOf(repository: Repository, { commit, recorded }: Known): Promise<Digests | undefined> {
  if (recorded?.schema === identitySchema) return { told: recorded, hasData: true };
  const files = await filesOf(repository, commit);
  if (files === undefined) return undefined;
  return { told: measuredOn(files, recorded?.data ?? {}), hasData: recorded !== undefined };
}

const bare = (told: MeasuredOn): MeasuredOn => ({ ...told, data: {} });

function notTold(versions: readonly string[]): string {
  return `Nobody could check that ${versions.join(" and ")} ${versions.length === 1 ? "was" : "were"} measured on the same things: the ledger does not say on what, and the commit cannot be read.`;
}

const memories = new WeakMap<Repository, Map<string, Promise<MeasuredFiles | undefined>>>();
const mostRemembered = 64;

/** What a commit says of how its version is measured, asked once; undefined where the commit cannot say. */
export function filesOf(repository: Repository, commit: string): Promise<MeasuredFiles | undefined> {
  const memory = memories.get(repository) ?? new Map<string, Promise<MeasuredFiles | undefined>>();
  memories.set(repository, memory);
  const known = memory.get(commit) ?? readable(measuredFiles(repository, commit));
  memory.delete(commit);
  memory.set(commit, known);
  const [oldest] = memory.keys();
  if (memory.size > mostRemembered && oldest !== undefined) memory.delete(oldest);
  return known;
}

async function readable<T>(read: Promise<T>): Promise<T | undefined> {
  try {
    return await read;
  } catch (e) {
    if (HarnessError.is(e)) return undefined;
    throw e;
  }
}
