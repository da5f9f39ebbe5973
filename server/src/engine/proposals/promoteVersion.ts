import { userInfo } from "node:os";
import { HarnessError } from "../../base/errors.ts";
import type { Store } from "../../evidence/archive/store.ts";
import { findVersion, type Lineage, type VersionRecord } from "../../lineage/graph.ts";
import type { LoopEvent } from "../../loop/events.ts";
import { promote } from "../../loop/steps/promote.ts";
import { loadProject } from "../../project/project.ts";
import { isProposal, versionIn } from "../../proposals/proposal.ts";
import { commitSource } from "../project/commitSource.ts";
import { openFleet } from "../training/fleet.ts";
import { enginePorts } from "../training/ports.ts";
import { openDomain } from "./openDomain.ts";
import { keeperOf } from "./standing.ts";

export interface Promoted {
  readonly version: string;
  readonly gap: number | null;
  readonly reason: string;
}

/**
 * Promotes a version as the end of an evolution does: the audit split is opened for it and for the baseline, and the
 * generalisation gap is written down. Where the project is human-gated the completion gate has to be approved.
 * @throws HarnessError notFound, badInput for a version that cannot be promoted, gateWaiting, jobFailed, cancelled
 */
export async function promoteVersion(options: {
  readonly root: string;
  readonly store: Store;
  readonly version: string;
  /** Approves the completion gate, where it asks for a person. */
  readonly approve: boolean;
  readonly by?: string;
  readonly emit: (event: LoopEvent) => void;
  readonly signal: AbortSignal;
}): Promise<Promoted> {
  const { root, store, emit, signal } = options;
  const open = await openDomain(root);
  const { workspace, lineage, domain } = open;
  const version = versionIn(lineage, options.version);
  refuseUnfit(version);
  const completed = version.approvals.some((a) => a.gate === "completion" && a.answer === "approve");
  const keeper = await keeperOf(open);
  if (keeper.who === "human" && !completed) {
    if (!options.approve)
      throw new HarnessError(
        "gateWaiting",
        `The promotion of ${version.name} opens the sealed audit split and waits for approval, because ${keeper.why}; approve it with \`evotrainer promote ${version.name} --approve\`.`,
      );
    await workspace.ledger.append([
      {
        id: `approval:${version.name}:completion`,
        at: new Date().toISOString(),
        domain,
        type: "approval",
        version: version.name,
        gate: "completion",
        answer: "approve",
        by: options.by ?? userInfo().username,
      },
    ]);
  }
  const project = await loadProject(commitSource(workspace.repository, version.commit));
  const { fleet, close } = await openFleet(workspace, undefined, {
    note: (message) => emit({ type: "note", message }),
  });
  const ports = enginePorts({ workspace, store, fleet, project, emit, signal });
  const tried = lineage.versions.filter(isProposal).length;
  await promote(
    { champion: version.name, baseline: baselineOf(lineage, version), domain, answered: { tried } },
    (name) => Promise.resolve(versionIn(lineage, name).commit),
    ports,
    signal,
  ).finally(close);
  const after = (await openDomain(root, { readOnly: true })).lineage;
  const promotion = versionIn(after, version.name).promotion;
  return { version: version.name, gap: promotion?.gap ?? null, reason: promotion?.reason ?? "" };
}

function refuseUnfit({ name, decision, promotion }: VersionRecord): void {
  if (promotion !== undefined)
    throw new HarnessError("badInput", `${name} is already promoted: ${promotion.reason}`);
  if (decision?.decision !== "keep")
    throw new HarnessError(
      "badInput",
      `${name} is ${decision === undefined ? "not decided yet" : `not a kept version (${decision.decision})`}; only a kept version can be promoted, since the audit split is opened once.`,
    );
}

/** What an evolution compares with: the nearest ancestor, or the version itself, that was trained as the harness was. */
function baselineOf(lineage: Lineage, version: VersionRecord): string {
  let at: VersionRecord | undefined = version;
  while (at !== undefined && isProposal(at) && at.parent !== null) at = findVersion(lineage, at.parent);
  return at?.name ?? version.name;
}
