import type { LedgerEntry } from "../../../../shared/ledger/ledger.ts";
import { isHarness } from "../../proposals/standing/harnessVersions.ts";
import { versionIn } from "../../proposals/standing/proposal.ts";
import { admitVersion } from "../harness/admitVersion.ts";
import { openDomain } from "../proposals/openDomain.ts";
import { proposalPorts } from "../training/proposalPorts.ts";
import { defineService } from "../workspace/service.ts";
import { waitingGates } from "./waitingGates.ts";
import { answerGate } from "./answerGate.ts";

/** Answers a gate of a version: of a proposal, take all or some hunks, send it back with a comment, or refuse it. */
export const proposalsAnswer = defineService("proposals.answer", {
  // The second time it would be refused, because it has its answer.
  repeatable: false,
  async run({ root, store }, params) {
    const open = await openDomain(root);
    const { workspace, domain } = open;
    const answered = await answerGate(open, proposalPorts(workspace, { store, domain }), params);
    // Nothing has to be trained first: a harness version is admitted, or not, as soon as it is approved.
    const { lineage } = await openDomain(root);
    const version = versionIn(lineage, params.id);
    if (answered.state !== "taken" || !isHarness(version) || (await waitsElsewhere(version.name)))
      return answered;
    const append = (entries: readonly LedgerEntry[]): Promise<void> => workspace.ledger.append(entries);
    const admitted = await admitVersion(workspace, { store, domain, version: version.name, append });
    return { ...answered, admitted: admitted.reason };

    async function waitsElsewhere(name: string): Promise<boolean> {
      const gates = await waitingGates(await openDomain(root));
      return gates.some((gate) => gate.version === name);
    }
  },
});
