import { HarnessError } from "../../base/errors.ts";
import type { Store } from "../../evidence/archive/store.ts";
import type { LoopEvent } from "../../loop/events.ts";
import { promote } from "../../loop/steps/promote.ts";
import { loadProject } from "../../project/project.ts";
import { versionIn } from "../../proposals/proposal.ts";
import { commitSource } from "../project/commitSource.ts";
import { openFleet } from "../training/fleet.ts";
import { enginePorts } from "../training/ports.ts";
import { openAudit, thisUser } from "./openAudit.ts";
import { openDomain } from "./openDomain.ts";

export interface Promoted {
  readonly version: string;
  readonly gap: number | null;
  readonly reason: string;
}

/**
 * Promotes a version as the end of an evolution does: the audit split is opened for it and for the baseline, and the
 * generalisation gap is written down. Whether it may be opened, `openAudit` says.
 * @throws HarnessError notFound, badInput for a version that cannot be promoted, gateWaiting, jobFailed, cancelled
 */
export async function promoteVersion(options: {
  readonly root: string;
  readonly store: Store;
  readonly version: string;
  /** Approves the completion gate, where it asks for a person. */
  readonly approve: boolean;
  readonly by?: string;
  /** Promotes a version that was kept for what its first seed showed as well. */
  readonly oneSeed?: boolean | undefined;
  readonly emit: (event: LoopEvent) => void;
  readonly signal: AbortSignal;
}): Promise<Promoted> {
  const { root, store, emit, signal } = options;
  const { workspace, lineage, domain } = await openDomain(root);
  const version = versionIn(lineage, options.version);
  if (version.promotion !== undefined)
    throw new HarnessError("badInput", `${version.name} is already promoted: ${version.promotion.reason}`);
  const approvedBy = options.approve ? (options.by ?? thisUser()) : null;
  const door = await openAudit(workspace, {
    domain,
    version: version.name,
    approvedBy,
    oneSeed: options.oneSeed,
  });
  if (door.type === "waits") throw new HarnessError("gateWaiting", door.reason);
  if (door.type !== "open")
    throw new HarnessError(
      "badInput",
      door.type === "closed" ? door.reason : `${version.name} was promoted just now by another process.`,
    );
  const project = await loadProject(commitSource(workspace.repository, version.commit));
  const { fleet, close } = await openFleet(workspace, undefined, {
    note: (message) => emit({ type: "note", message }),
  });
  const ports = enginePorts({ workspace, store, fleet, project, emit, signal });
  await promote(
    { ...door, domain },
    (name) => Promise.resolve(versionIn(lineage, name).commit),
    ports,
    signal,
  ).finally(close);
  const after = (await openDomain(root, { readOnly: true })).lineage;
  const promotion = versionIn(after, version.name).promotion;
  return { version: version.name, gap: promotion?.gap ?? null, reason: promotion?.reason ?? "" };
}
