import type { Store } from "../../evidence/archive/store.ts";
import { readChanges } from "../../lineage/hunks.ts";
import type { Project } from "../../project/project.ts";
import type { MakePorts } from "../../proposals/makeProposals.ts";
import { proposalPorts } from "../training/proposalPorts.ts";
import { findingsOf } from "./findingsOf.ts";
import type { OpenDomain } from "./openDomain.ts";

/** What proposals outside the loop are made with. `caller` and `owner`: whether each is trusted to run programs. */
export function makePorts(
  { workspace, domain, entries }: OpenDomain,
  project: Project,
  asked: {
    readonly store: Store;
    readonly caller: boolean;
    readonly owner: boolean;
    readonly signal: AbortSignal;
  },
): MakePorts {
  const { store } = asked;
  return {
    ...proposalPorts(workspace, { store, domain }),
    changes: (base, proposed) => readChanges(workspace.repository, base, proposed),
    findings: (version) => findingsOf(version, { root: workspace.root, project, domain, entries, ...asked }),
  };
}
