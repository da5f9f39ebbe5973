import type { Proposal } from "../../../../shared/protocol/views/proposals.ts";
import { showProposal } from "../../proposals/showProposal.ts";
import { openDomain } from "../proposals/openDomain.ts";
import { lineagePredictions } from "../comparison/lineagePredictions.ts";
import { commitSource } from "../project/commitSource.ts";
import { versionIn } from "../../proposals/standing/proposal.ts";
import { answeredFindings, triedBefore } from "./triedBefore.ts";
import { defineService } from "../workspace/service.ts";

/** What a reviewer decides by: the hunks, what is claimed, its backtest, the proposer's record and what it will cost. */
export const proposalsShow = defineService("proposals.show", {
  repeatable: true,
  async run(context, { id, record: wanted }, call): Promise<Proposal> {
    const { workspace, lineage } = await openDomain(context.root, { readOnly: true });
    const shown = await showProposal(
      {
        lineage,
        repository: workspace.repository,
        source: (commit) => commitSource(workspace.repository, commit),
      },
      id,
    );
    const version = versionIn(lineage, id);
    const history = {
      tried: triedBefore(lineage, version),
      answersTo: answeredFindings(lineage, version),
    };
    if (!wanted) return { ...shown, ...history, record: null };
    const { proposers } = await lineagePredictions.run(context, {}, call);
    return { ...shown, ...history, record: proposers.find((p) => p.proposer === shown.proposer) ?? null };
  },
});
