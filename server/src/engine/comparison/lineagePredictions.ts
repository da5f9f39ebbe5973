import type { VersionRecord } from "../../lineage/graph.ts";
import { fatesOf, type Fates } from "../../changes/fates.ts";
import { shiftsBetween } from "../../changes/labelShift.ts";
import { checkPrediction, proposerRecords, type Foreseen } from "../../changes/predictions.ts";
import { knownLineage } from "../project/knownLineage.ts";
import { usableDiagnostics } from "../project/usableDiagnostics.ts";
import { defineService } from "../workspace/service.ts";

/** What was predicted for each version, compared with what its labels did: the record of every proposer. Stores nothing. */
export const lineagePredictions = defineService("lineage.predictions", {
  repeatable: true,
  async run({ store, root }, { version: asked }, { signal, progress }) {
    const { domain, diagnostics, problems } = await usableDiagnostics(root);
    const { own } = await knownLineage(root, domain);
    const known = new Map<string, Fates>();
    const fates = async (version: string): Promise<Fates> => {
      const found =
        known.get(version) ?? (await fatesOf(store, { split: "selection", version }, diagnostics));
      known.set(version, found);
      return found;
    };
    const foreseen: Foreseen[] = [];
    for (const version of own.filter(isPredicted)) {
      if (asked !== undefined && version.name !== asked) continue;
      signal.throwIfAborted();
      progress({ message: `comparing ${version.name} with its parent` });
      const parent = version.parent ?? "";
      const [before, after] = [await fates(parent), await fates(version.name)];
      foreseen.push({
        version: version.name,
        parent,
        proposer: version.hypothesis?.proposer ?? "catalogue",
        fixes: version.hypothesis?.predictedFixes ?? [],
        risks: version.hypothesis?.predictedRisks ?? [],
        shifts:
          before.rollouts.length === 0 || after.rollouts.length === 0 ? null : shiftsBetween(before, after),
      });
    }
    return { versions: foreseen.map(checkPrediction), proposers: proposerRecords(foreseen), problems };
  },
});

/** Nothing is foreseen of a base version, and an imported one has no hypothesis. */
function isPredicted({ hypothesis, parent }: VersionRecord): boolean {
  return hypothesis !== undefined && parent !== null;
}
