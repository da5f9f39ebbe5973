import type { Subtraction } from "../../decision/subtraction.ts";
import { equivalent } from "../../decision/testing/equivalence.ts";
import { seedNoise } from "../../decision/testing/seedNoise.ts";
import type { Tested } from "../../decision/testing/testing.ts";
import { outcomesByItem } from "../../evidence/queries/query.ts";
import type { Store } from "../../evidence/archive/store.ts";
import { findVersion } from "../../lineage/graph.ts";
import type { Project } from "../../project/project.ts";
import { collectOutcomes } from "../../statistics/scores/outcomes.ts";
import { readLineage, type Workspace } from "../workspace/workspace.ts";

/** Of each of the two one-sided tests. */
const confidence = 0.95;

/** Whether a version that takes an edit out of its parent lost anything by that, as `VerdictPorts` says. */
export async function subtractionOf(
  { store, workspace }: { readonly store: Store; readonly workspace: Workspace },
  { version: name, parent }: { readonly version: string; readonly parent: string },
  { spec }: Project,
): Promise<Subtraction | null> {
  const lineage = await readLineage(workspace, spec.domain);
  const takesOut = findVersion(lineage, name)?.without;
  if (takesOut === undefined) return null;
  const { aggregator: metric } = spec.metric;
  const { margin } = spec.testing;
  const tested = async (version: string): Promise<Tested> => ({
    name: version,
    outcomes: collectOutcomes(await outcomesByItem(store, { split: "selection", version })),
  });
  const [kept, without] = [await tested(parent), await tested(name)];
  // The spread between seeds is that of every version: two versions of three seeds say little about it.
  const others = lineage.versions.filter(
    (v) =>
      v.name !== name && v.name !== parent && v.standing !== "claim" && v.evidence.selection !== undefined,
  );
  const noise = seedNoise([kept, without, ...(await Promise.all(others.map((v) => tested(v.name))))], metric);
  const { verdict, comparison, seedsNeeded } = equivalent({
    with: kept,
    without,
    noise,
    metric,
    margin,
    confidence,
  });
  const edit = findVersion(lineage, takesOut)?.title ?? "an edit";
  return { takesOut, edit, margin, verdict, comparison, seedsNeeded };
}
