import { HarnessError } from "../../base/errors.ts";
import { loadProject } from "../../project/project.ts";
import { workTree } from "../../project/source.ts";
import { makeProposals } from "../../proposals/makeProposals.ts";
import { versionIn } from "../../proposals/standing/proposal.ts";
import { hintsFor } from "../../proposals/proposers/hints.ts";
import { refusedFor } from "../project/labelPrograms.ts";
import { makePorts } from "./makePorts.ts";
import { openDomain } from "./openDomain.ts";
import { toChange } from "./standing.ts";
import { askProposerNamed } from "./openProposer.ts";
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
    { trusted: caller, parent: asked, merge, without, hints, ...request },
    { signal },
  ) {
    const open = await openDomain(root);
    const { lineage } = open;
    const trust = { caller, owner };
    const parent = asked === undefined ? await toChange(open) : versionIn(lineage, asked);
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
        ...makePorts(open, project, { store, ...trust, signal }),
        propose: (name, asked) =>
          askProposerNamed(name, asked, {
            ...{ open, project, store, signal },
            hints: [...hintsFor(lineage, parent), ...hints.map((text) => ({ id: null, text }))],
            refused: refusedFor(trust),
          }),
      },
    );
    return { proposals: [...proposals], passedOver: [...passedOver] };
  },
});
