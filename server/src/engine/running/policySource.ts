import type { VersionRecord } from "../../lineage/records/versionRecord.ts";
import type { RunName } from "../workspace/runs.ts";

type Version = Pick<VersionRecord, "name" | "parent">;

/**
 * The version whose policy a job of `version` starts from; undefined where it starts from none, which only the measurement
 * of the base version does: it makes the base policy. Every other measurement is of the policy that the version has.
 */
export function policySource<V extends Version>(
  work: Exclude<RunName["work"], "again">,
  version: V,
  { versions, start }: { readonly versions: readonly V[]; readonly start: "base" | "parent" },
): V | undefined {
  const parentOf = ({ parent }: Version): V | undefined => versions.find(({ name }) => name === parent);
  const parent = parentOf(version);
  if (work !== "train") return work === "selection" && version.parent === null ? undefined : version;
  if (parent === undefined || start === "parent") return parent;
  let root = parent;
  for (let above = parentOf(root); above !== undefined; above = parentOf(root)) root = above;
  return root;
}
