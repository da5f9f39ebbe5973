import { userInfo } from "node:os";
import type { ProjectSpec } from "../../../../shared/spec/project.ts";
import { HarnessError } from "../../base/errors.ts";
import { buildLineage, type Lineage } from "../../lineage/graph.ts";
import { openLedger } from "../../lineage/ledger.ts";
import { resolveCommit } from "../../lineage/repository.ts";
import { loadProjectSpec } from "../../project/project.ts";
import { auditDoor, baselineOf, type AuditDoor } from "../../proposals/auditDoor.ts";
import { commitSource } from "../project/commitSource.ts";
import type { Workspace } from "../workspace/workspace.ts";

type Ground = Pick<Workspace, "repository">;

/**
 * Asks the one door to the audit split for a version, just before it is measured: from the ledger as git has it now, and
 * from the gates of the newest commit of the user's branch. With `approvedBy` an approval that is missing is written down
 * first, signed by this user's engine. Loop, command line and editor all come through here.
 */
export async function openAudit(
  ground: Ground,
  {
    domain,
    version,
    approvedBy,
    oneSeed,
  }: {
    readonly domain: string;
    readonly version: string;
    readonly approvedBy?: string | null;
    readonly oneSeed?: boolean | undefined;
  },
): Promise<AuditDoor> {
  const door = auditDoor({ ...(await readNow(ground, domain)), version, oneSeed });
  if (door.type !== "waits" || approvedBy === undefined || approvedBy === null) return door;
  await openLedger(ground.repository).append([
    {
      id: `approval:${version}:completion`,
      at: new Date().toISOString(),
      domain,
      type: "approval",
      version,
      gate: "completion",
      answer: "approve",
      by: approvedBy,
    },
  ]);
  return auditDoor({ ...(await readNow(ground, domain)), version, oneSeed });
}

/** Who answers for this process. */
export const thisUser = (): string => userInfo().username;

/**
 * Whether a version's audit may be measured once more: its door must be open or must have been, or that of a version that
 * is compared with it. @throws HarnessError gateWaiting, badInput with the reason
 */
export async function refuseSealed(ground: Ground, domain: string, version: string): Promise<void> {
  const now = await readNow(ground, domain);
  const doorOf = (name: string): AuditDoor => auditDoor({ ...now, version: name });
  const isOpen = ({ type }: AuditDoor): boolean => type === "open" || type === "opened";
  const compared = now.lineage.versions.filter(
    (v) =>
      v.name !== version && v.decision?.decision === "keep" && baselineOf(now.lineage, v).name === version,
  );
  if (compared.some((v) => isOpen(doorOf(v.name)))) return;
  const door = doorOf(version);
  if (door.type === "waits") throw new HarnessError("gateWaiting", door.reason);
  if (door.type === "closed") throw new HarnessError("badInput", door.reason);
}

/** Nothing that was read before, or that anybody keeps beside git's own files, has a say here. */
async function readNow(
  { repository }: Ground,
  domain: string,
): Promise<{ lineage: Lineage; gates: ProjectSpec["gates"] | null }> {
  const [{ entries }, gates] = await Promise.all([
    openLedger(repository, { isFresh: true }).read(),
    committedGates({ repository }),
  ]);
  return { lineage: buildLineage(entries, domain), gates };
}

async function committedGates({ repository }: Ground): Promise<ProjectSpec["gates"] | null> {
  try {
    const head = await resolveCommit(repository, "HEAD");
    return (await loadProjectSpec(commitSource(repository, head))).gates;
  } catch (e) {
    const unsound = ["projectMissing", "projectInvalid", "notFound"] as const;
    if (unsound.some((reason) => HarnessError.is(e, reason))) return null;
    throw e;
  }
}
