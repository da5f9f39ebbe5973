import { answerProposal } from "../../proposals/answerProposal.ts";
import { openDomain } from "../proposals/openDomain.ts";
import { proposalPorts } from "../training/proposalPorts.ts";
import { smokeTrials } from "../training/smokeTrials.ts";
import { defineService } from "../workspace/service.ts";

/** Answers the design gate of a proposal: take all or some hunks, send it back with a comment, or refuse it with a reason. */
export const proposalsAnswer = defineService("proposals.answer", {
  // The second time it would be refused, because it has its answer.
  repeatable: false,
  async run({ root, store }, params) {
    const { workspace, lineage, domain } = await openDomain(root);
    const ports = proposalPorts(workspace, { store, domain });
    const trials = smokeTrials(workspace, domain);
    return answerProposal({ domain, lineage, repository: workspace.repository, ports, trials }, params);
  },
});
