import { knownLineage } from "../../engine/project/knownLineage.ts";
import type { VersionRecord } from "../../lineage/records/versionRecord.ts";
import { readObjects } from "../../lineage/objects.ts";
import { openRepository, type Repository } from "../../lineage/repository.ts";
import { loadProjectSpec, projectFile } from "../../project/project.ts";
import { workTree } from "../../project/source.ts";
import { evaluationFiles } from "../../project/frozen/frozenPaths.ts";
import { configFiles } from "../../project/surfaces.ts";
import { scalarsOf } from "../../project/configs/configValues.ts";
import { parseText } from "../syntax/parseSpec.ts";

/** A version by its files, as far as rules compare with them. */
export type VersionFiles = { readonly name: string; readonly files: ReadonlyMap<string, string> };

const mostVersions = 200;
const maxFileBytes = 8_000_000;

/**
 * The version that a project's work tree goes on from: of the newest 200 the one whose configs are the most like those
 * of the work tree, the latest of several. Versions are made beside the work tree, so that neither the promoted nor the
 * newest one need be what somebody works on. Undefined where there is no version. Runs git.
 * @throws HarnessError projectInvalid, and those of openRepository
 */
export async function nearestVersion(root: string): Promise<VersionFiles | undefined> {
  const source = workTree(root);
  const spec = await loadProjectSpec(source);
  const versions = (await knownLineage(root, spec.domain)).own.slice(-mostVersions);
  if (versions.length === 0) return undefined;
  const repository = await openRepository(root, { readOnly: true });
  const configs = configFiles(spec);
  const own = new Map<string, string>();
  for (const file of configs) own.set(file, (await source.read(file)) ?? "");
  const found = await filesOf(repository, versions, configs);
  let nearest: { readonly version: VersionRecord; readonly distance: number } | undefined;
  for (const version of versions) {
    const files = found.get(version) ?? new Map<string, string>();
    const distance = configs.reduce((sum, file) => sum + differences(own.get(file), files.get(file)), 0);
    if (nearest === undefined || distance <= nearest.distance) nearest = { version, distance };
  }
  if (nearest === undefined) return undefined;
  const compared = [...new Set([projectFile, ...configs, ...evaluationFiles(spec)])];
  const files = await filesOf(repository, [nearest.version], compared);
  return { name: nearest.version.name, files: files.get(nearest.version) ?? new Map<string, string>() };
}

async function filesOf(
  repository: Repository,
  versions: readonly VersionRecord[],
  paths: readonly string[],
): Promise<ReadonlyMap<VersionRecord, Map<string, string>>> {
  const wanted = versions.flatMap((version) => paths.map((path) => ({ version, path })));
  const found = new Map(versions.map((version) => [version, new Map<string, string>()]));
  const names = wanted.map(({ version, path }) => `${version.commit}:${repository.prefix}${path}`);
  await readObjects(repository.git, names, maxFileBytes, (object, i) => {
    const at = wanted[i];
    if (at && object.type === "found" && object.kind === "blob")
      found.get(at.version)?.set(at.path, object.content.toString("utf8"));
  });
  return found;
}

/** How many values differ between two configs; a file that one side lacks differs in all of the other's. */
function differences(a: string | undefined, b: string | undefined): number {
  if (a === b) return 0;
  const [one, other] = [a, b].map((text) => scalarsOf(parseText(text ?? "").value));
  let count = 0;
  for (const [path, value] of one ?? []) if (!other?.has(path) || !Object.is(other.get(path), value)) count++;
  for (const path of other?.keys() ?? []) if (!one?.has(path)) count++;
  return count;
}
