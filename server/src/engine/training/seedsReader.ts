import { findVersion } from "../../lineage/graph.ts";
import type { TrainedSeed } from "../../loop/ports.ts";
import type { Project } from "../../project/project.ts";
import { readLineage, type Workspace } from "../workspace/workspace.ts";
import { trainedSeeds } from "./trainedSeeds.ts";

/** What a project's versions were trained with, by the ledger as it is when that is asked. */
export interface SeedsReader {
  readonly trained: (version: string) => Promise<TrainedSeed[]>;
  readonly seedsOf: (version: string) => Promise<number[]>;
}

export function seedsReader({
  workspace,
  project: { spec },
}: {
  readonly workspace: Workspace;
  readonly project: Project;
}): SeedsReader {
  const trained: SeedsReader["trained"] = async (version) => {
    const found = findVersion(await readLineage(workspace, spec.domain), version);
    return found === undefined ? [] : trainedSeeds(found, spec.trainer.seeds);
  };
  return { trained, seedsOf: async (version) => (await trained(version)).map(({ seed }) => seed) };
}
