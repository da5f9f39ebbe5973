import type { LedgerEntry } from "../../../../shared/ledger/ledger.ts";
import { testingRules } from "../../decision/testing/rules.ts";
import type { Project } from "../../project/project.ts";
import type { LoopPorts } from "../ports.ts";
import type { LoopState } from "../state.ts";
import type { Tests } from "../tests.ts";
import { evidenceId, evidenceOf } from "./evidence.ts";
import { runJobs, type SeedJob } from "./jobs.ts";
import { testedOf } from "./looks.ts";
import { trainingOf } from "./measuring.ts";
import { forCalibration } from "./train.ts";

interface Calibrating {
  readonly project: Project;
  readonly ports: LoopPorts;
  readonly signal: AbortSignal;
  readonly commitOf: (version: string) => Promise<string>;
}

/**
 * Trains the baseline on the seeds that calibration needs, and evaluates the policy of its first seed a second time, unless
 * the job that trained it and a fresh one both did.
 */
export async function trainForCalibration(
  { baseline, baseVersion, domain }: LoopState,
  { project, ports, signal, commitOf }: Calibrating,
): Promise<void> {
  if (baseline === null) return;
  const has = (await ports.trained(baseline)).map(({ seed }) => seed);
  const [seed = 1] = has;
  const of = { version: baseline, commit: await commitOf(baseline), seed };
  const work = trainingOf(seed, project.spec, { isKept: true });
  const training: SeedJob = { ...of, work, policyOf: baseVersion, what: "training" };
  const again: SeedJob = {
    ...{ ...of, work: { type: "again" }, policyOf: baseline },
    what: "evaluating its policy once more, to find out how much evaluations differ",
  };
  // Those that were trained beside its first seed are there, unless an earlier release trained it.
  const lacking = forCalibration(training, project.spec).filter((job) => !has.includes(job.seed));
  const isTwice =
    project.spec.evaluation.rerun === "kept" && (await ports.outcomesAgain(baseline, seed)) !== null;
  const jobs = isTwice ? lacking : [...lacking, again];
  const ran = await runJobs(jobs, { domain, ports, signal });
  for (const { job, result } of ran)
    if (result.failure !== null)
      ports.emit({
        type: "note",
        message: `The calibration goes on without ${job.what.replace(/,.*/, "")} of ${baseline}: ${result.message}`,
      });
  await ports.collect(baseline, "all");
}

/** Works out what noise hides, and writes it down before anything is spent on candidates. */
export async function calibrate(
  { baseline, domain, planned }: LoopState,
  { project, ports, tests }: Pick<Calibrating, "project" | "ports"> & { readonly tests: Tests },
): Promise<void> {
  if (baseline === null) return;
  const trained = await ports.trained(baseline);
  const seeds = trained.map(({ seed }) => seed);
  const [first] = seeds;
  const second = first === undefined ? null : await ports.outcomesAgain(baseline, first);
  const times = trained.flatMap(({ seconds }) => seconds ?? []);
  const secondsPerSeed = times.length === 0 ? null : times.reduce((sum, s) => sum + s, 0) / times.length;
  const found = tests.calibrate({
    baseline: await testedOf(ports, baseline, seeds),
    again:
      first === undefined || second === null
        ? null
        : { first: await ports.outcomes(baseline, [first]), second },
    rules: testingRules(project.spec, planned),
    secondsPerSeed,
    atLeast: smallestSuccess(project),
  });
  const evidence = (await ports.isRecorded(evidenceId(baseline, seeds)))
    ? []
    : [await evidenceOf(baseline, seeds, { domain, project, ports })];
  const entry: LedgerEntry = {
    id: `calibration:${baseline}`,
    at: ports.now(),
    domain,
    type: "calibration",
    version: baseline,
    seeds,
    seedNoise: found.noise.degrees === 0 ? null : found.noise.sd,
    evaluationNoise: found.evaluationSd,
    items: found.items,
    resolvable: found.resolvable,
    secondsPerTraining: secondsPerSeed,
    trainings: found.cost.trainings,
    seconds: found.cost.seconds,
    sentences: [...found.sentences],
  };
  await ports.appendToLedger([...evidence, entry]);
  ports.emit({ type: "calibrated", version: baseline, sentences: found.sentences });
}

/** What the least demanding proposal of the project has to gain; null where none says. */
function smallestSuccess({ interventions }: Project): number | null {
  const asked = interventions.map(({ spec }) => spec.success.atLeast);
  return asked.length === 0 ? null : Math.min(...asked);
}
