import { unnamedProposer } from "../../project/proposersOf.ts";
import type { VersionRecord } from "../../lineage/records/versionRecord.ts";
import { checkPrediction, proposerRecords, type Foreseen } from "../../changes/predictions.ts";
import { distrustOfRecord } from "../../decision/distrustOfRecord.ts";
import { projectOrBare } from "../project/bareProject.ts";
import { placeIn } from "../project/placeInLineage.ts";
import { knownLineage } from "../project/knownLineage.ts";
import { usableDiagnostics } from "../project/usableDiagnostics.ts";
import { defineService } from "../workspace/service.ts";
import { namedChanges, observe, type Measures, type Observed } from "./namedChanges.ts";

/**
 * What was predicted for each version, compared with what its labels and findings did: the record of every proposer. Stores
 * nothing.
 */
export const lineagePredictions = defineService("lineage.predictions", {
  repeatable: true,
  async run({ store, root }, { version: asked }, { signal, progress }) {
    const usable = await usableDiagnostics(root);
    const { domain, problems } = usable;
    const { aggregator, metricNames } = await projectOrBare(root);
    const measures: Measures = { store, aggregator, usable, metricNames };
    const { own, entries } = await knownLineage(root, domain);
    const known = new Map<string, Observed>();
    const observed = async (version: string): Promise<Observed> => {
      const found =
        known.get(version) ?? (await observe(measures, { version, ...placeIn(entries, version) }));
      known.set(version, found);
      return found;
    };
    const foreseen: Foreseen[] = [];
    for (const version of own.filter(isPredicted)) {
      if (asked !== undefined && version.name !== asked) continue;
      signal.throwIfAborted();
      progress({ message: `comparing ${version.name} with its parent` });
      const parent = version.parent ?? "";
      const [before, after] = [await observed(parent), await observed(version.name)];
      const lacking = [after, before].filter(({ fates }) => fates.rollouts.length === 0);
      const notValid = own.filter(
        (one) => (one === version || one.name === parent) && distrustOfRecord(one) !== undefined,
      );
      foreseen.push({
        version: version.name,
        parent,
        proposer: version.hypothesis?.proposer ?? unnamedProposer,
        fixes: version.hypothesis?.predictedFixes ?? [],
        risks: version.hypothesis?.predictedRisks ?? [],
        shifts: await namedChanges(measures, before, after),
        ...(lacking.length === 0 ? {} : { lacking: lacking.map(({ placed }) => placed.version) }),
        ...(notValid.length === 0 ? {} : { notValid: notValid.map(({ name }) => name) }),
      });
    }
    return { versions: foreseen.map(checkPrediction), proposers: proposerRecords(foreseen), problems };
  },
});

/** Nothing is foreseen of a base version, and an imported one has no hypothesis. */
function isPredicted({ hypothesis, parent }: VersionRecord): boolean {
  return hypothesis !== undefined && parent !== null;
}
