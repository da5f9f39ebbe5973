import { counted, plural } from "../../../../shared/words/numbers.ts";
import { HarnessError } from "../../base/errors.ts";
import type { Split } from "../../../../shared/model/rollout.ts";
import { diagnose } from "../../diagnosis/diagnose.ts";
import { listRollouts, outcomesByItem } from "../../evidence/queries/query.ts";
import { readRollout } from "../../evidence/queries/readRollout.ts";
import { unsealAudit, type SplitScope } from "../../evidence/store/split.ts";
import type { Store } from "../../evidence/archive/store.ts";
import { beginBranch, createVersion } from "../../lineage/versions.ts";
import { findVersion } from "../../lineage/graph.ts";
import type { VersionRecord } from "../../lineage/records/versionRecord.ts";
import type {
  AskingPorts,
  EarlierProposal,
  EvidencePointer,
  LoopPorts,
  MeasuredSplit,
} from "../../loop/ports.ts";
import { loadProject } from "../../project/project.ts";
import { chooseDrafts } from "../../proposals/chooseDrafts.ts";
import { backtestProposal } from "../../proposals/commitProposal.ts";
import { draftOf } from "../../proposals/draft.ts";
import { isProposal, isReadyToTrain, termsOf } from "../../proposals/standing/proposal.ts";
import { comparePaired } from "../../statistics/comparison/compare.ts";
import { collectOutcomes, type ItemOutcomes } from "../../statistics/scores/outcomes.ts";
import { scoreOf } from "../../statistics/scores/score.ts";
import { collectRun } from "../workspace/archive.ts";
import { commitSource } from "../project/commitSource.ts";
import { labelProgramsOf } from "../project/labelPrograms.ts";
import { placeIn } from "../project/placeInLineage.ts";
import { comparability, recordedOf } from "../project/comparable.ts";
import { isHarness } from "../../proposals/standing/harnessVersions.ts";
import { harnessPorts, withTrialsMarked } from "../harness/harnessPorts.ts";
import { assertUnmixed, refusalToTrain } from "./mayTrain.ts";
import { measuredOnOf } from "./measuredOnOf.ts";
import { bringKept } from "./policiesOfRuns.ts";
import { seedsReader } from "./seedsReader.ts";
import { composePort } from "./composePort.ts";
import type { EnginePorts } from "./engineParts.ts";
import { testingPorts } from "./testingPorts.ts";
import { seedsRun } from "./trainedSeeds.ts";
import { runFolder, runId, runsOf, type RunName } from "../workspace/runs.ts";
import { approvedOnRuns } from "../../proposals/standing/approvedOnRun.ts";
import { proposalPorts } from "./proposalPorts.ts";
import { remeasure, trainAndMeasure } from "./remeasure.ts";
import { verdictPorts } from "./verdictPorts.ts";
import { readLineage, type Workspace } from "../workspace/workspace.ts";

/** Wires the loop to git, the archive and the machines that jobs run on, but not to the models and agents of the project. */
export function enginePorts(engine: EnginePorts): Omit<LoopPorts, keyof AskingPorts> {
  const { workspace, store, project } = engine;
  const { repository, ledger } = workspace;
  const domain = project.spec.domain;
  const { aggregator } = project.spec.metric;
  const { seeds: before } = project.spec.trainer;
  const known = async (version: string) => findVersion(await readLineage(workspace, domain), version);
  const { seedsOf } = seedsReader(engine);
  const measuring = { ...engine, seedsOf };
  return {
    ...proposalPorts(workspace, { store, domain }),
    ...testingPorts(engine),
    compose: composePort(engine),
    proposing: { chooseDrafts, draftOf, backtestProposal },
    ...verdictPorts(engine),
    project: (commit) => loadProject(commitSource(repository, commit)),
    async createVersion({ name, parent, edits, message, at }) {
      const made = { domain, name, parent, edits, message, at: new Date(at) };
      return (await createVersion(repository, made)).commit;
    },
    acceptProposal: (version) => acceptProposal(workspace, domain, version),
    async proposalsOn(parent) {
      const { versions } = await readLineage(workspace, domain);
      return versions.filter((v) => v.parent === parent && isProposal(v)).map(earlierProposal);
    },
    approvedOnRuns: async () => approvedOnRuns(await readLineage(workspace, domain)),
    async termsOf(version) {
      const found = await known(version);
      const named = project.interventions.find((i) => i.spec.name === found?.intervention)?.spec;
      return termsOf(found, named);
    },
    ...harnessPorts(engine),
    async appendToLedger(entries) {
      await bringKept({ ...engine, seedsOf }, entries);
      // A step that is repeated after a crash writes the same ids again: what this engine wrote first counts.
      await ledger.append(entries, { isRepeated: true });
    },
    async train(request, signal, begun) {
      const refusal = refusalToTrain(await readLineage(workspace, domain), request);
      if (refusal !== null) throw new HarnessError("gateWaiting", refusal);
      await assertUnmixed(store, request.version);
      return trainAndMeasure(measuring, request, { signal, begun });
    },
    remeasure: (version, commit, seeds) => remeasure(measuring, { version, commit, seeds }),
    async collect(version, split) {
      const found = await known(version);
      return collect(engine, found === undefined ? [] : runsToCollect(found, split, before));
    },
    async diagnose(version, { spec, diagnostics }) {
      const diagnosis = await diagnose(store, {
        version,
        domain,
        diagnostics: diagnostics.map((d) => d.spec),
        aggregator: spec.metric.aggregator,
        metricNames: spec.metricNames,
        outside: labelProgramsOf(workspace.root, {
          models: spec.models,
          refused: null,
          signal: engine.signal,
        }),
        ...placeIn((await ledger.read()).entries, version),
      });
      for (const { message } of diagnosis.notRun) engine.emit({ type: "note", message });
      return withTrialsMarked(engine, diagnosis);
    },
    score: async (version, split) => scoreOf(await outcomes(version, split), { aggregator }),
    async compare(version, against, { split, ...how }) {
      const [of, other] = [await outcomes(version, split), await outcomes(against, split)];
      return comparePaired(against, other, of, { aggregator, ...how });
    },
    measuredOn: async (version, work) => {
      const found = await known(version);
      if (found === undefined) return null;
      // The jobs that measured a version again are those whose rollouts count.
      const works = work === "train" ? (["train", "selection"] as const) : [work];
      const runs = works.flatMap((one) => runsOf(version, one, seedsRun(found, before))).map(runId);
      return measuredOnOf(repository, found.commit, { runs, data: project.spec.trainer.data });
    },
    async whyNotComparable(version, against, on) {
      const lineage = await readLineage(workspace, domain);
      const [one, other] = [findVersion(lineage, against), findVersion(lineage, version)];
      if (one === undefined || other === undefined) return null;
      const own = recordedOf(other);
      const told = { ...own, recorded: on ?? own.recorded };
      return (await comparability(repository, recordedOf(one), told)).refusal;
    },
    pointers: (version, labels) => pointers(store, version, labels),
    emit: engine.emit,
  };

  async function outcomes(version: string, split: MeasuredSplit): Promise<ItemOutcomes[]> {
    return collectOutcomes(await outcomesByItem(store, { ...scopeOf(split), version }));
  }
}

/** The branch of an approved proposal begins at what was accepted. @throws HarnessError notFound */
async function acceptProposal(
  workspace: Workspace,
  domain: string,
  version: string,
): Promise<{ readonly commit: string; readonly title: string }> {
  const found = findVersion(await readLineage(workspace, domain), version);
  if (found === undefined)
    throw new HarnessError(
      "notFound",
      `The ledger has no version ${version}, although it was approved; run \`evotrainer evolve --restart\`.`,
    );
  await beginBranch(workspace.repository, { domain, name: version, commit: found.commit });
  return { commit: found.commit, title: found.title };
}

function scopeOf(split: MeasuredSplit): SplitScope {
  return split === "audit" ? { split, unsealed: unsealAudit("the audit of a promoted version") } : { split };
}

/** The runs of a version that may have evidence of a split. */
function runsToCollect(version: VersionRecord, split: Split | "all", before: readonly number[]): RunName[] {
  const seeds = seedsRun(version, before);
  return (["train", "selection", "audit"] as const)
    .filter((work) => split === "all" || split === work)
    .flatMap((work) => runsOf(version.name, work, seeds));
}

async function collect(
  engine: EnginePorts,
  runs: readonly RunName[],
): Promise<{ rows: number; quarantined: number }> {
  const total = { rows: 0, quarantined: 0 };
  for (const name of runs) {
    const run = runId(name);
    const report = await collectRun(engine.store, {
      runDir: runFolder(engine.workspace, run),
      run,
      version: name.version,
      final: true,
    });
    total.rows += report.rows;
    total.quarantined += report.quarantined;
    for (const message of report.changed) engine.emit({ type: "note", message });
  }
  if (total.quarantined > 0)
    engine.emit({
      type: "note",
      message: `${counted(total.quarantined, "line")} of ${runs[0]?.version ?? ""} ${plural(total.quarantined, "was", "were")} put in quarantine; \`evotrainer jobs --quarantine\` says why.`,
    });
  return total;
}

/** Per label the first three rollouts that carry it, with their turns. */
async function pointers(
  store: Store,
  version: string,
  labels: readonly string[],
): Promise<EvidencePointer[]> {
  const found: EvidencePointer[] = [];
  for (const label of labels) {
    const page = await listRollouts(store, { split: "selection", version, label, limit: 3 });
    for (const { run, id } of page.rollouts) {
      const { labels: own } = await readRollout(store, { within: run, id });
      found.push({
        rollout: `${run}/${id}`,
        turns: [...(own.find((l) => l.label === label)?.turns ?? [])],
        label,
      });
    }
  }
  return found;
}

function earlierProposal(v: VersionRecord): EarlierProposal {
  const { name: version, commit, intervention, title, merges = null, without = null } = v;
  const answers = v.hypothesis?.answers ?? null;
  const edit = v.hypothesis?.spec?.edit ?? null;
  const isTaken = isReadyToTrain(v) && !isHarness(v);
  return { version, commit, intervention, edit, title, merges, without, isTaken, answers };
}
