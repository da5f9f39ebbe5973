import type { Diagnosis, LoopPorts } from "../../loop/ports.ts";
import { harnessParent, isHarness } from "../../proposals/standing/harnessVersions.ts";
import { isProposal, versionIn } from "../../proposals/standing/proposal.ts";
import type { Store } from "../../evidence/archive/store.ts";
import type { Project } from "../../project/project.ts";
import { readLineage, type Workspace } from "../workspace/workspace.ts";
import { withHarness } from "../project/harnessProject.ts";
import { markTrials } from "../project/trials.ts";
import { admitVersion } from "./admitVersion.ts";

/** Wires harness versions to the ledger and the archive. */
export function harnessPorts({
  workspace,
  store,
  project,
}: {
  readonly workspace: Workspace;
  readonly store: Store;
  readonly project: Project;
}): Pick<LoopPorts, "harnessProposals" | "harnessParent" | "admit"> {
  const { domain } = project.spec;
  return {
    async harnessProposals() {
      const { versions } = await readLineage(workspace, domain);
      return versions
        .filter((v) => isHarness(v) && isProposal(v))
        .map(({ name: version, intervention, hypothesis, decision }) => {
          const edit = hypothesis?.spec?.edit ?? null;
          return { version, intervention, edit, isOpen: decision === undefined };
        });
    },
    async harnessParent(otherwise) {
      const lineage = await readLineage(workspace, domain);
      return harnessParent(lineage, versionIn(lineage, otherwise)).name;
    },
    admit: (version) =>
      admitVersion(workspace, {
        ...{ store, domain, version },
        append: (entries) => workspace.ledger.append(entries, { isRepeated: true }),
      }),
  };
}

/** What was found out of a version, with the labels marked whose diagnostics are on trial. */
export async function withTrialsMarked(
  { workspace, project }: { readonly workspace: Workspace; readonly project: Project },
  diagnosis: Diagnosis,
): Promise<Diagnosis> {
  const lineage = await readLineage(workspace, project.spec.domain);
  const { onTrial } = await withHarness(workspace.repository, lineage, project);
  return { ...diagnosis, labels: markTrials(diagnosis.labels, onTrial) };
}
