import { openRepository, statePath } from "../../server/src/lineage/repository.ts";
import {
  addCheckout,
  checkoutDirectory,
  removeCheckout,
} from "../../server/src/lineage/checkouts/checkout.ts";
import { LocalExecutor } from "../../server/src/runner/local.ts";
import { runJob } from "../../server/src/runner/runVersion.ts";
import { makeTestRepository } from "../../test/support/lineage/repository.ts";
import { keeperPath } from "../../test/support/runner/jobs.ts";
import { testProject, testProjectFiles } from "../../test/support/runner/project.ts";
import { median, type BenchRow, type SkippedRow } from "../row.ts";
import { benchIntegrityShare } from "./integrityShare.ts";
import { timed } from "./runnerHost.ts";

/**
 * What keeps the evidence of a job true (confinement, evaluation and policy digests, the closing in the ledger) against the
 * same job without any of it: a checkout, the keeper, and the end.
 */
export async function benchIntegrity({
  rounds,
  evolutions,
}: {
  readonly rounds: number;
  /** How often the evolution of the example runs with all of it, and without. */
  readonly evolutions: number;
}): Promise<readonly (BenchRow | SkippedRow)[]> {
  const made = makeTestRepository(testProjectFiles());
  try {
    const repository = await openRepository(made.root);
    const commit = made.git("rev-parse", "HEAD");
    const executor = new LocalExecutor({
      runsDirectory: statePath(repository, "runs"),
      keeper: keeperPath,
      pollMilliseconds: 5,
    });
    const can = await executor.confinement();
    if (can.by === null)
      return [{ name: "integrity", skipped: `this machine cannot confine jobs: ${can.reason}` }];
    let n = 0;
    const guarded = async (confine: "auto" | "off"): Promise<unknown> =>
      runJob({
        ...{ repository, commit, executor, project: testProject({ confine }) },
        ...{ version: "v1", seed: 1, splits: ["train", "selection"], run: `guarded-${++n}` },
      });
    const plain = async (): Promise<void> => {
      const run = `plain-${++n}`;
      const checkout = checkoutDirectory(repository, run);
      await addCheckout(repository, commit, checkout, []);
      const environment = { EVO_SEED: "1", EVO_SPLITS: "train,selection", EVO_HARNESS: commit };
      await executor.submit({
        ...{ id: run, command: ["sh", "train.sh"], cwd: checkout, budgetSeconds: 60 },
        environment: {
          ...environment,
          EVO_POLICY_IN: "",
          EVO_POLICY_OUT: `${executor.directoryOf(run)}/policy`,
        },
      });
      await executor.wait(run);
      await removeCheckout(repository, checkout);
    };
    const times: Record<"all" | "unconfined" | "plain", number[]> = { all: [], unconfined: [], plain: [] };
    for (let round = 0; round <= rounds; round++) {
      const steps = [
        async () => times.all.push(await timed(() => guarded("auto"))),
        async () => times.unconfined.push(await timed(() => guarded("off"))),
        async () => times.plain.push(await timed(plain)),
      ];
      for (const step of round % 2 === 0 ? steps : steps.toReversed()) await step();
      if (round === 0) for (const list of Object.values(times)) list.length = 0;
    }
    const [all, unconfined, without] = [median(times.all), median(times.unconfined), median(times.plain)];
    const job: BenchRow = {
      name: "integrity: a job with all that keeps its evidence true - the same job without",
      ...{ measured: all - without, target: 200, unit: "ms" },
      detail: `${all.toFixed(0)} ms with, ${unconfined.toFixed(0)} ms with all but confinement, ${without.toFixed(0)} ms without`,
    };
    const guards = Math.max(0, unconfined - without);
    return [job, await benchIntegrityShare({ rounds: evolutions, guards })];
  } finally {
    made.dispose();
  }
}
