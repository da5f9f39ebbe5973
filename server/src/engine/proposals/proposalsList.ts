import { listProposals } from "../../proposals/showProposal.ts";
import { openDomain } from "../proposals/openDomain.ts";
import { defineService } from "../workspace/service.ts";
import { waitingGates } from "./waitingGates.ts";

/** What waits at which gate, and proposals, the newest first: those that wait for an answer, or all that were ever made. */
export const proposalsList = defineService("proposals.list", {
  repeatable: true,
  async run({ root }, { all }) {
    const open = await openDomain(root, { readOnly: true });
    const gates = await waitingGates(open);
    const why = gates.find(({ gate }) => gate === "design")?.why ?? null;
    return { domain: open.domain, why, proposals: listProposals(open.lineage, all), gates };
  },
});
