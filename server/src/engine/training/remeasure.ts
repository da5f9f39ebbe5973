import { join } from "node:path";
import type { Store } from "../../evidence/archive/store.ts";
import { takeOut } from "../../evidence/ingest/takeOut.ts";
import { numberOf } from "../../evidence/store/rows.ts";
import type { TrainRequest, TrainResult } from "../../loop/ports.ts";
import { readAsked, replaceSplit } from "../../runner/job/asked.ts";
import { jobCost } from "../budget/jobCost.ts";
import { collectRun } from "../workspace/archive.ts";
import { runFolder, runId, runsOf, type RunName } from "../workspace/runs.ts";
import { train, type TrainEngine, type TrainOptions } from "./train.ts";

/** What measuring again needs of the engine. */
interface MeasureEngine extends TrainEngine {
  readonly store: Store;
  readonly signal: AbortSignal;
}

type Measured = Pick<TrainRequest, "version" | "commit" | "seeds">;

/**
 * Measures a trained version on the selection split once more, by jobs of their own that start from the policy that it left:
 * each of these seeds that so far only the job that trained it measured. Null where there is none, or where the project does
 * not want it.
 */
export async function remeasure(
  engine: MeasureEngine,
  { version, commit, seeds }: Measured,
): Promise<TrainResult | null> {
  if (engine.project.spec.evaluation.rerun === "never") return null;
  const due: number[] = [];
  for (const name of runsOf(version, "train", seeds)) if (await isDue(engine, name)) due.push(name.seed);
  if (due.length === 0) return null;
  return measureFresh(engine, { version, commit, seeds: due }, engine.signal);
}

/** Trains, and has fresh jobs measure what was trained, where the request says so. */
export async function trainAndMeasure(
  engine: MeasureEngine,
  request: TrainRequest,
  options: TrainOptions,
): Promise<TrainResult> {
  const trained = await train(engine, request, options);
  const { work, version, seeds } = request;
  const isDone = work.type !== "train" || work.measured === undefined;
  if (isDone || trained.failure !== null) return trained;
  const fresh = await measureFresh(engine, request, options.signal);
  const runs = (["train", "selection"] as const).flatMap((one) => runsOf(version, one, seeds));
  const cost = await jobCost(engine.workspace, runs);
  return { ...fresh, seconds: trained.seconds + fresh.seconds, cost };
}

/** From then on the rollouts of these jobs count, and those of the training jobs on that split are in quarantine. */
async function measureFresh(
  engine: MeasureEngine,
  { version, commit, seeds }: Measured,
  signal: AbortSignal,
): Promise<TrainResult> {
  const { workspace, store } = engine;
  const work = { type: "measure", split: "selection" } as const;
  const request = { version, commit, work, policyOf: version, seeds };
  // The ledger may not tell of these trainings yet, and each is measured with the policy that it left itself.
  const result = await train({ ...engine, seedsOf: () => Promise.resolve(seeds) }, request, { signal });
  if (result.failure !== null)
    return { ...result, message: `The evaluation of ${version} by a fresh job failed: ${result.message}` };
  for (const name of runsOf(version, "train", seeds)) {
    const runDir = runFolder(workspace, runId(name));
    if ((await readAsked(runDir))?.splits.has("selection") !== true) continue;
    const again = runId({ ...name, work: "selection" });
    await replaceSplit(runDir, "selection", again);
    await takeOut(store, join(runDir, "rollouts.jsonl"));
    for (const run of [runId(name), again])
      await collectRun(store, { runDir: runFolder(workspace, run), run, version, final: true });
  }
  return result;
}

/** Also when an engine that noted it ended before the archive had followed. */
async function isDue({ store, workspace }: MeasureEngine, name: RunName): Promise<boolean> {
  const run = runId(name);
  const asked = await readAsked(runFolder(workspace, run));
  // Only a job that was asked for the split can have measured it by itself.
  if (asked?.splits.has("selection") !== true) return false;
  if (!asked.replaced.has("selection")) return true;
  const rows = await store.query({
    sql: "SELECT count(*) AS n FROM rollouts WHERE run = ? AND split = 'selection'",
    params: [run],
  });
  return numberOf(rows[0] ?? {}, "n") > 0;
}
