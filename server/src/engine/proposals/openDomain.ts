import type { EntryLog } from "../../lineage/entries/entryLog.ts";
import { buildLineage, type Lineage } from "../../lineage/graph.ts";
import type { Ledger } from "../../lineage/ledger.ts";
import { loadProjectSpec } from "../../project/project.ts";
import { workTree } from "../../project/source.ts";
import type { ProjectSpec } from "../../../../shared/spec/project.ts";
import { openWorkspace, type Workspace } from "../workspace/workspace.ts";

/** A project with its repository and what its ledger says of its domain now. */
export interface OpenDomain {
  readonly workspace: Workspace;
  readonly spec: ProjectSpec;
  readonly domain: string;
  readonly entries: EntryLog;
  readonly lineage: Lineage;
}

/** A ledger that has been read goes on from there: what a lineage of many versions has said is not read again. */
const read = new Map<string, Ledger>();

/** @throws HarnessError projectMissing, projectInvalid, and those of openRepository */
export async function openDomain(root: string, options: { readOnly?: boolean } = {}): Promise<OpenDomain> {
  const workspace = await openWorkspace(root, options);
  const spec = await loadProjectSpec(workTree(workspace.root));
  const ledger = read.get(workspace.root) ?? workspace.ledger;
  read.set(workspace.root, ledger);
  const { entries } = await ledger.read();
  return { workspace, spec, domain: spec.domain, entries, lineage: buildLineage(entries, spec.domain) };
}
