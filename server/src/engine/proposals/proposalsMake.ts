import { HarnessError } from "../../base/errors.ts";
import { diagnose } from "../../diagnosis/diagnose.ts";
import { readChanges } from "../../lineage/hunks.ts";
import { loadProject } from "../../project/project.ts";
import { workTree } from "../../project/source.ts";
import { makeProposals } from "../../proposals/makeProposals.ts";
import { versionIn } from "../../proposals/standing/proposal.ts";
import { labelProgramsOf, refusedFor } from "../project/labelPrograms.ts";
import { placeIn } from "../project/placeInLineage.ts";
import { openDomain } from "./openDomain.ts";
import { proposalPorts } from "../training/proposalPorts.ts";
import { championOf } from "./standing.ts";
import { defineService } from "../workspace/service.ts";

/**
 * Proposes changes of a version: the search's choice, or an intervention that is named or written for this. Each waits
 * at the design gate like those of the loop.
 */
export const proposalsMake = defineService("proposals.make", {
  // Asked twice it would propose twice.
  repeatable: false,
  async run(
    { root, store, trusted: owner },
    { trusted: caller, parent: asked, merge, without, ...request },
    { signal },
  ) {
    const open = await openDomain(root);
    const { workspace, lineage, domain, entries } = open;
    const parent = asked === undefined ? await championOf(open) : versionIn(lineage, asked);
    if (parent === undefined)
      throw new HarnessError("notFound", "There is no version to change yet; run `evotrainer evolve` first.");
    const project = await loadProject(workTree(root));
    const composed = {
      ...(merge === undefined
        ? {}
        : { merge: [versionIn(lineage, merge[0]), versionIn(lineage, merge[1])] as const }),
      ...(without === undefined ? {} : { without: versionIn(lineage, without) }),
    };
    const { proposals, passedOver } = await makeProposals(
      { ...request, ...composed, lineage, parent, project },
      {
        ...proposalPorts(workspace, { store, domain }),
        changes: (base, proposed) => readChanges(workspace.repository, base, proposed),
        async findings(version) {
          const { spec, diagnostics } = project;
          const refused = refusedFor({ caller, owner });
          const diagnosis = await diagnose(store, {
            ...{ version, domain, aggregator: spec.metric.aggregator },
            diagnostics: diagnostics.map((d) => d.spec),
            outside: labelProgramsOf(root, { models: spec.models, refused, signal }),
            ...placeIn(entries, version),
          });
          return diagnosis.findings;
        },
      },
    );
    return { proposals: [...proposals], passedOver: [...passedOver] };
  },
});
