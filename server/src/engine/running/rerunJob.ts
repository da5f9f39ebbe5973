import { HarnessError } from "../../base/errors.ts";
import { loadProject, loadProjectSpec } from "../../project/project.ts";
import { workTree } from "../../project/source.ts";
import { knownElsewhere, type JobOutcome } from "../../runner/job/outcome.ts";
import { commitSource } from "../project/commitSource.ts";
import { openFleet } from "../training/fleet.ts";
import { here } from "../workspace/machineNames.ts";
import { placeOf } from "../workspace/place.ts";
import { withEngine } from "../owner/withEngine.ts";
import { policyFor } from "../training/policiesOfRuns.ts";
import { trainedSeeds } from "../training/trainedSeeds.ts";
import type { Split } from "../../../../shared/model/rollout.ts";
import { policySource } from "./policySource.ts";
import { policyPath, runId, type RunName } from "../workspace/runs.ts";
import { openWorkspace, readLineage } from "../workspace/workspace.ts";
import { refuseSealed } from "../proposals/openAudit.ts";
import { executorOf } from "../jobs/jobList.ts";
import { nextAttempt } from "../jobs/nextAttempt.ts";

/**
 * Runs a job that did not finish once more, on the host where it was, waits for it and brings its evidence into the
 * archive. The decision about its version stays as it is.
 * @throws HarnessError badInput, notFound, cancelled and those of runJob
 */
export async function rerunJob(
  root: string,
  job: string,
  { started, signal }: { readonly started: (job: string) => void; readonly signal: AbortSignal },
): Promise<JobOutcome> {
  const name = await nextAttempt(root, job);
  const workspace = await openWorkspace(root);
  const { domain } = await loadProjectSpec(workTree(root));
  const { versions } = await readLineage(workspace, domain);
  const version = versions.find((v) => v.name === name.version);
  if (version === undefined)
    throw new HarnessError(
      "notFound",
      `The lineage has no version ${name.version}; it cannot be trained again.`,
    );
  if (name.work === "audit") await refuseSealed(workspace, domain, version.name);
  if (name.work === "again")
    throw new HarnessError(
      "badInput",
      `${job} evaluated a policy a second time, and its result is already recorded, so it cannot be rerun.`,
    );
  // As it was trained: budgets and seeds are of the version, not of the work tree.
  const { spec } = await loadProject(commitSource(workspace.repository, version.commit));
  const from = policySource(name.work, version, { versions, start: spec.trainer.start });
  const host = (await knownElsewhere(executorOf(root).directoryOf(job)))?.host;
  const { fleet, close } = await openFleet(workspace, [host ?? here]);
  const run = runId(name);
  const seedsOf = (other: string): Promise<number[]> => {
    const found = versions.find((v) => v.name === other);
    const trained = found === undefined ? [] : trainedSeeds(found, spec.trainer.seeds);
    return Promise.resolve(trained.map(({ seed }) => seed));
  };
  try {
    started(run);
    const [ran] = fleet.runAll([
      {
        repository: workspace.repository,
        commit: version.commit,
        project: spec,
        version: version.name,
        run,
        seed: name.seed,
        splits: splitsOf(name.work),
        ...(from === undefined
          ? {}
          : {
              policyIn: () =>
                policyFor({ workspace, fleet, seedsOf }, from.name, name.seed).catch(ignoreMissing),
            }),
        policyOut: policyPath(workspace, name),
        budgetSeconds: spec.trainer.budgetSeconds,
        detach: signal,
      },
    ]);
    const outcome = await ran;
    if (outcome === undefined) throw new Error("a job without an answer");
    await withEngine(placeOf(root), (engine) =>
      engine.request("evidence.collect", { run, version: version.name }),
    );
    await workspace.ledger.append([
      {
        id: `job:${version.name}:${name.work}:s${name.seed}:r${name.attempt}`,
        at: new Date().toISOString(),
        domain,
        type: "job",
        version: version.name,
        job: run,
        state: outcome.ok ? "finished" : "failed",
        failure: outcome.failure,
        message: outcome.message,
        seconds: outcome.seconds,
      },
    ]);
    return outcome;
  } finally {
    close();
  }
}

const splitsOf = (work: Exclude<RunName["work"], "again">): readonly Split[] =>
  work === "train" ? ["train", "selection"] : [work];

function ignoreMissing(e: unknown): undefined {
  if (HarnessError.is(e, "notFound")) return undefined;
  throw e;
}
