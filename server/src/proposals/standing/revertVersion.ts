import { userInfo } from "node:os";
import type { WouldDiffer } from "../../../../shared/ledger/admission.ts";
import type { Decision } from "../../../../shared/ledger/ledger.ts";
import { HarnessError } from "../../base/errors.ts";
import type { Lineage } from "../../lineage/graph.ts";
import type { Ledger } from "../../lineage/ledger.ts";
import type { Repository } from "../../lineage/repository.ts";
import { createVersionLike } from "../../lineage/versions.ts";
import { firstFreeNumber, versionIn, versionName } from "./proposal.ts";

export interface Reverted {
  /** The new version. */
  readonly version: string;
  readonly reverts: string;
  /** What the reverted version had changed. */
  readonly title: string;
  /** The version whose files it has. */
  readonly filesOf: string;
  readonly commit: string;
  readonly branch: string;
}

/**
 * Takes a version back by a version of its own on top of it, with the files of its parent. Nothing is removed, and a revert
 * can be reverted. Work tree, index and HEAD stay as they are.
 * @throws HarnessError notFound, badInput when it has no parent, has files of no version yet, or was reverted before
 */
export async function revertVersion(
  {
    domain,
    lineage,
    repository,
    ledger,
  }: {
    readonly domain: string;
    readonly lineage: Lineage;
    readonly repository: Repository;
    readonly ledger: Pick<Ledger, "append">;
  },
  {
    version: name,
    reason,
    by = userInfo().username,
    wouldDiffer = [],
  }: {
    readonly version: string;
    readonly reason?: string;
    readonly by?: string;
    /** Of a harness version: earlier decisions that would be different without it. */
    readonly wouldDiffer?: readonly WouldDiffer[];
  },
): Promise<Reverted> {
  const version = versionIn(lineage, name);
  if (version.parent === null)
    throw new HarnessError(
      "badInput",
      `${name} has no parent to take the files from; it is the starting point.`,
    );
  const before = findRevert(lineage, name);
  if (before !== undefined)
    throw new HarnessError("badInput", `${before} already reverts ${name}; revert ${before} to get it back.`);
  if (version.decision === undefined)
    throw new HarnessError(
      "badInput",
      `${name} is not decided yet; reject it at its gate, or wait for its decision, instead of reverting it.`,
    );
  const nothing = nothingToRevert(version.decision.decision);
  if (nothing !== null)
    throw new HarnessError(
      "badInput",
      `${name} ${nothing}, so there is nothing to take back; \`evotrainer lineage\` shows which versions were kept.`,
    );
  const parent = versionIn(lineage, version.parent);
  const at = new Date();
  const made = versionName(firstFreeNumber(lineage), `revert-${name}`);
  const title = `revert ${name}: the files of ${parent.name}`;
  const why =
    `Reverted by ${by}${reason === undefined || reason.trim() === "" ? "" : `: ${reason.trim()}`}.`.replace(
      /([.!?])\.$/,
      "$1",
    );
  const { commit } = await createVersionLike(repository, {
    domain,
    name: made,
    parent: version.commit,
    filesOf: parent.commit,
    message: `${title}\n\n${why}`,
    at,
  });
  const common = { at: at.toISOString(), domain, version: made };
  await ledger.append([
    {
      ...common,
      id: `version:${made}`,
      type: "version",
      commit,
      parent: name,
      generation: version.generation,
      factor: version.factor,
      intervention: null,
      title,
    },
    {
      ...common,
      id: `decision:${made}`,
      type: "decision",
      decision: "revert",
      reason: why,
      comparison: null,
      evidence: [],
      ...(wouldDiffer.length === 0 ? {} : { wouldDiffer: [...wouldDiffer] }),
    },
  ]);
  return {
    version: made,
    reverts: name,
    title: version.title,
    filesOf: parent.name,
    commit,
    branch: `evo/${domain}/${made}`,
  };
}

/** What became of a version that nothing is built on; null for one whose change counts. */
function nothingToRevert(decision: Decision): string | null {
  return decision === "reject" || decision === "invalid" || decision === "prune"
    ? `was not kept (${decision})`
    : null;
}

/** The version that reverts another, by somebody who is trusted here. */
export function findRevert({ versions }: Lineage, name: string): string | undefined {
  return versions.find(
    (v) => v.parent === name && v.decision?.decision === "revert" && v.standing !== "claim",
  )?.name;
}

/** Whether a version is taken back. A revert that was reverted itself gives it back. */
export function isReverted(lineage: Lineage, name: string): boolean {
  const revert = findRevert(lineage, name);
  return revert !== undefined && findRevert(lineage, revert) === undefined;
}
