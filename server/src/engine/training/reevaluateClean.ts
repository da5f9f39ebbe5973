import { counted } from "../../../../shared/words/numbers.ts";
import type { LabelCount } from "../../../../shared/ledger/measures.ts";
import { HarnessError, messageOf } from "../../base/errors.ts";
import type { CleanEvaluation, CleanRequest } from "../../decision/verdictPorts.ts";
import { diagnose } from "../../diagnosis/diagnose.ts";
import type { Store } from "../../evidence/archive/store.ts";
import { findVersion } from "../../lineage/graph.ts";
import type { Project } from "../../project/project.ts";
import { labelProgramsOf } from "../project/labelPrograms.ts";
import { collectRun } from "../workspace/archive.ts";
import { cleanEvidence, runFolder, runId, runsOf } from "../workspace/runs.ts";
import { readLineage } from "../workspace/workspace.ts";
import { seedsReader } from "./seedsReader.ts";
import { train, type TrainEngine } from "./train.ts";

/** What it needs of the engine. */
export interface CleanEngine extends Omit<TrainEngine, "seedsOf"> {
  readonly store: Store;
  readonly signal: AbortSignal;
}

/**
 * The clean score of an invalid version, as `VerdictPorts` says. The runs have names that the version decides, so that they
 * are found again after a crash; what they wrote is kept in the archive under a name that no version can have.
 */
export async function reevaluateClean(
  engine: CleanEngine,
  request: CleanRequest,
  project: Project,
  signal: AbortSignal,
): Promise<CleanEvaluation> {
  const { version, parent, hasPolicy, counted: score } = request;
  const counted = (because: string): CleanEvaluation => ({ by: "counted", score, because });
  if (parent === null) return counted(`${version} has no parent in whose environment it could be evaluated.`);
  if (!hasPolicy) return counted(`the job of ${version} failed, so there is no policy to evaluate.`);
  try {
    const evaluated = await evaluateIn(engine, { version, parent }, project, signal);
    if (typeof evaluated === "string") return counted(evaluated);
    const open = evaluated.labels.filter((l) => l.invalidates && l.labelled > 0);
    if (open.length > 0)
      return counted(`in the environment of ${parent} the leak is open too: ${countsOf(open)}.`);
    if (evaluated.score === null) return counted("its rollouts have no known outcome there.");
    return { by: "reevaluated", score: evaluated.score, because: null };
  } catch (e) {
    // Stopped in the middle, it goes on from here when the evolution does.
    if (signal.aborted || !HarnessError.is(e) || HarnessError.is(e, "cancelled")) throw e;
    return counted(sentenceOf(messageOf(e)));
  }
}

/** Diagnoses the policy of a version in the environment of its parent, once; or says why that cannot be done. */
export async function evaluateIn(
  engine: CleanEngine,
  { version, parent }: { readonly version: string; readonly parent: string },
  project: Project,
  signal: AbortSignal,
): Promise<Pick<Awaited<ReturnType<typeof diagnose>>, "labels" | "score"> | string> {
  const { workspace, store, emit } = engine;
  const { domain, metric, models } = project.spec;
  const environment = findVersion(await readLineage(workspace, domain), parent);
  if (environment === undefined) return `the ledger has no version ${parent}.`;
  const { seedsOf } = seedsReader(engine);
  const seeds = await seedsOf(version);
  const [seed = 1] = seeds;
  const begun = (): void =>
    emit({
      type: "jobStarted",
      ...{ version, seed },
      what: `evaluating its policy once more, in the environment of ${parent}`,
    });
  const result = await train(
    { ...engine, seedsOf },
    { version, commit: environment.commit, work: { type: "again" }, seeds, policyOf: version },
    { signal, begun },
  );
  const { failure, message, seconds } = result;
  emit({ type: "jobEnded", version, seed, ok: failure === null, message, seconds });
  if (result.failure !== null) return `the evaluation failed: ${sentenceOf(result.message)}`;
  const kept = cleanEvidence(version);
  for (const name of runsOf(version, "again", seeds)) {
    const run = runId(name);
    await collectRun(store, { runDir: runFolder(workspace, run), run, version: kept, final: true });
  }
  return diagnose(store, {
    version: kept,
    ...{ domain, aggregator: metric.aggregator },
    metricNames: project.spec.metricNames,
    diagnostics: project.diagnostics.map((d) => d.spec),
    outside: labelProgramsOf(workspace.root, { models, refused: null, signal: engine.signal }),
  });
}

const countsOf = (labels: readonly LabelCount[]): string =>
  labels.map((l) => `${l.name} in ${l.labelled} of ${counted(l.rollouts, "rollout")}`).join(", ");

const sentenceOf = (message: string): string => (/[.!?]$/.test(message) ? message : `${message}.`);
