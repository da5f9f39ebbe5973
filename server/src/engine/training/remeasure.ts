import { join } from "node:path";
import type { Store } from "../../evidence/archive/store.ts";
import { takeOut } from "../../evidence/ingest/takeOut.ts";
import { numberOf } from "../../evidence/store/rows.ts";
import type { TrainRequest, TrainResult } from "../../loop/ports.ts";
import { readAsked, replaceSplit } from "../../runner/job/asked.ts";
import { collectRun } from "../workspace/archive.ts";
import { runFolder, runId, runsOf, type RunName } from "../workspace/runs.ts";
import { train, type TrainEngine, type TrainOptions } from "./train.ts";

/** What measuring again needs of the engine. */
interface MeasureEngine extends TrainEngine {
  readonly store: Store;
  readonly signal: AbortSignal;
}

/**
 * Measures a trained version on the selection split once more, by jobs of their own that start from the policy that it left.
 * From then on their rollouts count, and those of the training jobs are in quarantine. Null where there is nothing to do: it
 * was measured again before, no job of it was asked for the selection split, or the project does not want it.
 */
export async function remeasure(
  engine: MeasureEngine,
  { version, commit, seeds }: Pick<TrainRequest, "version" | "commit" | "seeds">,
): Promise<TrainResult | null> {
  const { project, workspace, signal } = engine;
  const trained = runsOf(version, "train", seeds);
  if (project.spec.evaluation.rerun === "never" || !(await isDue(engine, trained))) return null;
  const work = { type: "measure", split: "selection" } as const;
  const result = await train(engine, { version, commit, work, policyOf: version, seeds }, { signal });
  if (result.failure !== null)
    return { ...result, message: `The second evaluation of ${version} failed: ${result.message}` };
  for (const name of trained) {
    const again = runId({ ...name, work: "selection" });
    const runDir = runFolder(workspace, runId(name));
    await replaceSplit(runDir, "selection", again);
    await takeOut(engine.store, join(runDir, "rollouts.jsonl"));
    for (const run of [runId(name), again])
      await collectRun(engine.store, { runDir: runFolder(workspace, run), run, version, final: true });
  }
  return result;
}

/** Trains, and where the project wants every training to be measured by fresh jobs, has them measure it. */
export async function trainAndMeasure(
  engine: MeasureEngine,
  request: TrainRequest,
  options: TrainOptions,
): Promise<TrainResult> {
  const trained = await train(engine, request, options);
  const isAgain = engine.project.spec.evaluation.rerun === "always" && request.work.type === "train";
  if (!isAgain || trained.failure !== null) return trained;
  const again = await remeasure(engine, request);
  return again === null ? trained : { ...again, seconds: trained.seconds + again.seconds };
}

/** Also when an engine that noted it ended before the archive had followed. */
async function isDue({ store, workspace }: MeasureEngine, trained: readonly RunName[]): Promise<boolean> {
  for (const name of trained) {
    const run = runId(name);
    const asked = await readAsked(runFolder(workspace, run));
    if (asked === null || !asked.splits.has("selection")) return false;
    if (!asked.replaced.has("selection")) return true;
    const rows = await store.query({
      sql: "SELECT count(*) AS n FROM rollouts WHERE run = ? AND split = 'selection'",
      params: [run],
    });
    if (numberOf(rows[0] ?? {}, "n") > 0) return true;
  }
  return false;
}
