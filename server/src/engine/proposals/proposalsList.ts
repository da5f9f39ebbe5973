import { listProposals } from "../../proposals/showProposal.ts";
import { openDomain } from "../proposals/openDomain.ts";
import { keeperOf } from "../proposals/standing.ts";
import { defineService } from "../workspace/service.ts";

/** Proposals, the newest first: those that wait for an answer, or all that were ever made. */
export const proposalsList = defineService("proposals.list", {
  repeatable: true,
  async run({ root }, { all }) {
    const open = await openDomain(root, { readOnly: true });
    const keeper = await keeperOf(open);
    const why = keeper.who === "human" ? keeper.why : null;
    return { domain: open.domain, why, proposals: listProposals(open.lineage, all) };
  },
});
