import { groupColumns } from "../../evidence/queries/groupColumns.ts";
import type { Store } from "../../evidence/archive/store.ts";
import { labelCarriers } from "../../diagnosis/labelCarriers.ts";
import { findVersion } from "../../lineage/graph.ts";
import { casesOf } from "../../memory/cases/case.ts";
import { profileOf } from "../../memory/cases/profile.ts";
import { createProposal } from "../../lineage/versions.ts";
import type { ProposalPorts } from "../../proposals/ports.ts";
import { harnessFigures } from "../harness/harnessFigures.ts";
import { commitSource } from "../project/commitSource.ts";
import { placedSkills } from "../skillRecords/placedSkills.ts";
import { librarySkills } from "../skillRecords/skillFiles.ts";
import { readLineage, type Workspace } from "../workspace/workspace.ts";

/** Wires proposals to git and the archive. */
export function proposalPorts(
  workspace: Pick<Workspace, "repository" | "ledger" | "engineFolder">,
  { store, domain }: { readonly store: Store; readonly domain: string },
): ProposalPorts {
  const { repository, ledger } = workspace;
  return {
    source: (commit) => commitSource(repository, commit),
    trainGroups: (version, signals) => groupColumns(store, { split: "train", version }, { signals }),
    trainLabels: (version, diagnostics) => labelCarriers(store, { split: "train", version }, diagnostics),
    async cases() {
      return casesOf(await readLineage(workspace, domain));
    },
    async profile(version) {
      const found = findVersion(await readLineage(workspace, domain), version);
      return found === undefined ? null : profileOf(found);
    },
    async skills(own) {
      const project = own.map((spec) => ({ spec, file: null }));
      const library = (await librarySkills()).skills;
      return placedSkills({ project, library }, await readLineage(workspace, domain)).skills;
    },
    harnessFigures: (change) => harnessFigures(workspace, { store, domain }, change),
    async createProposal({ name, at, ...rest }) {
      return (await createProposal(repository, { domain, id: name, ...rest, at: new Date(at) })).commit;
    },
    appendToLedger: (entries) => ledger.append(entries),
    now: () => new Date().toISOString(),
  };
}
