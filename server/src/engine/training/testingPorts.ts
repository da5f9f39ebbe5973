import { outcomesByItem } from "../../evidence/queries/query.ts";
import { buildLineage, findVersion } from "../../lineage/graph.ts";
import type { LoopPorts } from "../../loop/ports.ts";
import { readAsked } from "../../runner/job/asked.ts";
import { collectOutcomes } from "../../statistics/scores/outcomes.ts";
import { parseRunId, runFolder, runId } from "../workspace/runs.ts";
import { readLineage } from "../workspace/workspace.ts";
import { firstFreeNumber } from "../../proposals/standing/proposal.ts";
import { isAbove, standingOn } from "./keptVersions.ts";
import { outcomesOfRun } from "./outcomesOfRun.ts";
import type { EnginePorts } from "./engineParts.ts";
import { procedureHistory } from "./procedureHistory.ts";
import { seedsReader } from "./seedsReader.ts";
import { trainedSeeds } from "./trainedSeeds.ts";

/** What testing a candidate asks of the ledger and the archive: seeds, outcomes by seed, and what is kept. */
export function testingPorts({
  workspace,
  store,
  project,
}: Pick<EnginePorts, "workspace" | "store" | "project">): Pick<
  LoopPorts,
  | "firstFreeNumber"
  | "procedureHistory"
  | "keptOn"
  | "trained"
  | "parentOf"
  | "replicated"
  | "isRecorded"
  | "outcomes"
  | "outcomesAgain"
> {
  const { domain, trainer } = project.spec;
  const { seeds: before } = trainer;
  const { trained } = seedsReader({ workspace, project });
  const { ledger } = workspace;
  return {
    firstFreeNumber: async () => firstFreeNumber(await readLineage(workspace, domain)),
    async procedureHistory(parent, generation) {
      const { entries } = await ledger.read();
      return procedureHistory(buildLineage(entries, domain), entries, { parent, generation });
    },
    trained,
    async keptOn(baseline) {
      const lineage = await readLineage(workspace, domain);
      return standingOn(lineage, baseline).map(({ name, parent, evidence }) => {
        return { name, parent, score: evidence.selection?.score?.value ?? null };
      });
    },
    parentOf: async (version) => findVersion(await readLineage(workspace, domain), version)?.parent ?? null,
    async replicated(baseline) {
      const lineage = await readLineage(workspace, domain);
      const above = lineage.versions.filter((v) => isAbove(lineage, v, baseline) && v.standing !== "claim");
      return above.filter((v) => trainedSeeds(v, before).length > 1).map(({ name }) => name);
    },
    async isRecorded(id) {
      for (const entry of (await ledger.read()).entries) if (entry.id === id) return true;
      return false;
    },
    async outcomes(version, seeds) {
      const rollouts = await outcomesByItem(store, { split: "selection", version });
      return collectOutcomes(
        rollouts
          .map(({ item, outcome, run, seed }) => ({ item, outcome, seed: seedOf(run, seed) }))
          .filter(({ seed }) => seeds.includes(seed)),
      );
    },
    async outcomesAgain(version, seed) {
      const trained = runFolder(workspace, runId({ version, work: "train", seed }));
      if ((await readAsked(trained))?.replaced.has("selection") === true) return outcomesOfRun(trained);
      return outcomesOfRun(runFolder(workspace, runId({ version, work: "again", seed })));
    },
  };
}

/** The seed of the job that wrote a rollout: its run's name says it, whatever the rollout says. */
const seedOf = (run: string, seed: number | null): number => parseRunId(run)?.seed ?? seed ?? NaN;
