import type { InterventionSpec } from "../../../../shared/spec/intervention.ts";
import { HarnessError } from "../../base/errors.ts";
import { diagnose } from "../../diagnosis/diagnose.ts";
import type { Store } from "../../evidence/archive/store.ts";
import { loadProject } from "../../project/project.ts";
import { workTree } from "../../project/source.ts";
import { makeProposals, type MadeProposal } from "../../proposals/makeProposals.ts";
import { versionIn } from "../../proposals/proposal.ts";
import { labelProgramsOf, refusedFor } from "../project/labelPrograms.ts";
import { placeIn } from "../project/placeInLineage.ts";
import { openDomain } from "./openDomain.ts";
import { proposalPorts } from "../training/proposalPorts.ts";
import { championOf } from "./standing.ts";

/** Makes proposals on a version of the project in `root`. @throws HarnessError of openDomain, championOf and makeProposals */
export async function proposeOn(options: {
  readonly root: string;
  readonly store: Store;
  readonly trusted: boolean;
  readonly signal: AbortSignal;
  /** The version to change; the one that the evolution goes on from where left out. */
  readonly parent?: string;
  readonly proposer: string;
  readonly intervention?: string | InterventionSpec;
  readonly count: number;
}): Promise<MadeProposal[]> {
  const { root, store, trusted, signal, parent: asked, ...request } = options;
  const open = await openDomain(root);
  const { workspace, lineage, domain, entries } = open;
  const parent = asked === undefined ? await championOf(open) : versionIn(lineage, asked);
  if (parent === undefined)
    throw new HarnessError("notFound", "There is no version to change yet; run `evotrainer evolve` first.");
  const project = await loadProject(workTree(root));
  return makeProposals(
    { ...request, lineage, parent, project },
    {
      ...proposalPorts(workspace, { store, domain }),
      async findings(version) {
        const { spec, diagnostics } = project;
        const refused = refusedFor({ caller: trusted, owner: trusted });
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
}
