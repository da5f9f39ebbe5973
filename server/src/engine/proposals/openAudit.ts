import { userInfo } from "node:os";
import type { ProjectSpec } from "../../../../shared/spec/project.ts";
import { HarnessError } from "../../base/errors.ts";
import { buildLineage, type Lineage } from "../../lineage/graph.ts";
import { openLedger } from "../../lineage/ledger.ts";
import { answersAt, approvalEntry } from "../../proposals/standing/approval.ts";
import { versionIn } from "../../proposals/standing/proposal.ts";
import { auditDoor, baselineOf, type AuditDoor } from "../../proposals/standing/auditDoor.ts";
import { newestProject } from "../evolution/newestProject.ts";
import type { Workspace } from "../workspace/workspace.ts";

type Ground = Pick<Workspace, "repository">;

/**
 * Asks the one door to the audit split for a version, just before it is measured: from the ledger as git has it now, and
 * from the gates of the newest commit of the user's branch. By whom it is opened is written down first, signed by this
 * user's engine. Loop, command line and editor all come through here.
 */
export async function openAudit(
  ground: Ground,
  {
    domain,
    version,
    approvedBy = null,
    inAdvance = null,
    oneSeed,
  }: {
    readonly domain: string;
    readonly version: string;
    /** The person who approves this promotion now, whatever it waits for. */
    readonly approvedBy?: string | null;
    /** Who approved the gates of a run before it began; that does not answer an escalation. */
    readonly inAdvance?: string | null;
    /** Whether a person insists on a version that no further seed has confirmed. */
    readonly oneSeed?: boolean | undefined;
  },
): Promise<AuditDoor> {
  const now = await readNow(ground, domain);
  if (now.isBroken) return { type: "closed", reason: brokenReason(version) };
  const door = auditDoor({ ...now, version, inAdvance, oneSeed });
  const isAsked = door.type === "waits" || (door.type === "closed" && door.isRejected === true);
  const by = door.type === "open" ? door.by : isAsked ? approvedBy : null;
  if (by === null) return door;
  const at = new Date().toISOString();
  const before = answersAt(versionIn(now.lineage, version), "completion").length;
  const entry = approvalEntry({ domain, version, gate: "completion", by, at }, before, { answer: "approve" });
  await openLedger(ground.repository).append([entry]);
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
  if (now.isBroken) throw new HarnessError("badInput", brokenReason(version));
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

const brokenReason = (version: string): string =>
  `${version} is not promoted: somebody changed the ledger, and it does not hold what EvoTrainer last saw in it. Put it back as the notice says, or run \`evotrainer lineage accept\` if it is in order as it is.`;

/** Nothing that was read before, or that anybody keeps beside git's own files, has a say here. */
async function readNow(
  { repository }: Ground,
  domain: string,
): Promise<{ lineage: Lineage; gates: ProjectSpec["gates"] | null; isBroken: boolean }> {
  const [{ entries, isBroken }, newest] = await Promise.all([
    openLedger(repository, { isFresh: true }).read(),
    newestProject(repository)(),
  ]);
  const gates = newest.type === "sound" ? newest.project.spec.gates : null;
  return { lineage: buildLineage(entries, domain), gates, isBroken };
}
