import type { Store } from "../../evidence/archive/store.ts";
import { diagnose } from "../../diagnosis/diagnose.ts";
import { readChanges } from "../../lineage/hunks.ts";
import type { Project } from "../../project/project.ts";
import type { MakePorts } from "../../proposals/makeProposals.ts";
import { labelProgramsOf, refusedFor } from "../project/labelPrograms.ts";
import { placeIn } from "../project/placeInLineage.ts";
import { proposalPorts } from "../training/proposalPorts.ts";
import type { OpenDomain } from "./openDomain.ts";

/** What proposals outside the loop are made with. `caller` and `owner`: whether each is trusted to run programs. */
export function makePorts(
  { workspace, domain, entries }: OpenDomain,
  { spec, diagnostics }: Project,
  asked: {
    readonly store: Store;
    readonly caller: boolean;
    readonly owner: boolean;
    readonly signal: AbortSignal;
  },
): MakePorts {
  const { store, signal, ...trust } = asked;
  return {
    ...proposalPorts(workspace, { store, domain }),
    changes: (base, proposed) => readChanges(workspace.repository, base, proposed),
    async findings(version) {
      const diagnosis = await diagnose(store, {
        ...{ version, domain, aggregator: spec.metric.aggregator },
        diagnostics: diagnostics.map((d) => d.spec),
        outside: labelProgramsOf(workspace.root, {
          models: spec.models,
          refused: refusedFor(trust),
          signal,
        }),
        ...placeIn(entries, version),
      });
      return diagnosis.findings;
    },
  };
}
