import { join } from "node:path";
import type { RewardSpec } from "../../../../shared/spec/reward.ts";
import { HarnessError } from "../../base/errors.ts";
import { exists } from "../../base/files.ts";
import { loadProjectSpec, loadReward, projectFile } from "../../project/project.ts";
import { workTree } from "../../project/source.ts";
import { commitSource } from "./commitSource.ts";
import { findVersion } from "../../lineage/graph.ts";
import { openWorkspace, readLineage } from "../workspace/workspace.ts";

/** The reward that a version trained with: its spec at its commit, or only what the archive recorded, and why so. */
export type VersionReward =
  | { readonly type: "spec"; readonly commit: string; readonly file: string; readonly spec: RewardSpec }
  | { readonly type: "archived"; readonly because: string };

/** Looks the reward specs of versions up; the lineage is read once. */
export async function versionRewards(
  root: string,
  versions: readonly string[],
): Promise<ReadonlyMap<string, VersionReward>> {
  const archived = (because: string): ReadonlyMap<string, VersionReward> =>
    new Map(versions.map((version) => [version, { type: "archived", because }]));
  if (!(await exists(join(root, projectFile)))) return archived(`there is no ${projectFile}`);
  const found = new Map<string, VersionReward>();
  try {
    const { domain } = await loadProjectSpec(workTree(root));
    const workspace = await openWorkspace(root, { readOnly: true });
    const lineage = await readLineage(workspace, domain);
    for (const version of versions) {
      const commit = findVersion(lineage, version)?.commit;
      found.set(
        version,
        commit === undefined
          ? { type: "archived", because: `${version} is not in the lineage of ${domain}` }
          : await rewardAt(workspace.repository, commit),
      );
    }
    return found;
  } catch (e) {
    if (!HarnessError.is(e)) throw e;
    return archived(e.message);
  }
}

async function rewardAt(
  repository: Parameters<typeof commitSource>[0],
  commit: string,
): Promise<VersionReward> {
  const source = commitSource(repository, commit);
  try {
    const project = await loadProjectSpec(source);
    const spec = await loadReward(source, project);
    return spec === undefined || project.reward === undefined
      ? { type: "archived", because: `${projectFile} in ${source.name} names no reward` }
      : { type: "spec", commit, file: project.reward, spec };
  } catch (e) {
    if (!HarnessError.is(e)) throw e;
    return { type: "archived", because: e.message };
  }
}
