import type { Proposal } from "../../../../shared/protocol/views/proposals.ts";
import { showProposal } from "../../proposals/showProposal.ts";
import { openDomain } from "../proposals/openDomain.ts";
import { lineagePredictions } from "../comparison/lineagePredictions.ts";
import { projectOrBare } from "../project/bareProject.ts";
import { knownLineage } from "../project/knownLineage.ts";
import { placeIn } from "../project/placeInLineage.ts";
import { usableDiagnostics } from "../project/usableDiagnostics.ts";
import { commitSource } from "../project/commitSource.ts";
import { versionIn } from "../../proposals/standing/proposal.ts";
import { answeredConditions, answeredFindings, triedBefore } from "./triedBefore.ts";
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
    const usable = await usableDiagnostics(context.root);
    const { aggregator, metricNames } = await projectOrBare(context.root);
    const { entries } = await knownLineage(context.root, usable.domain);
    const answersFound = await answeredConditions(
      { store: context.store, aggregator, usable, metricNames },
      { version: shown.parent, targets: shown.targets, place: placeIn(entries, shown.parent) },
    );
    const record = proposers.find((p) => p.proposer === shown.proposer) ?? null;
    return { ...shown, ...history, answersFound, record };
  },
});
