import { seedsOf, testingRules } from "../../decision/testing/rules.ts";
import type { ProjectSpec } from "../../../../shared/spec/project.ts";
import type { LoopPorts, TrainResult } from "../ports.ts";
import type { Candidate, LoopState } from "../state.ts";
import type { Tests } from "../tests.ts";
import { runJobs, type RanJob, type SeedJob } from "./jobs.ts";
import { startOf, trainingOf } from "./measuring.ts";
import { jobOf } from "./train.ts";
import { withoutGain } from "./screen.ts";
import { noiseOf, seedsOfVersion, testedOf } from "./looks.ts";

/**
 * Why these jobs may not run, in a sentence; null while they are within the budget. Some of them may have begun before a
 * crash: they are not paid for again.
 */
export type Budget = (
  jobs: readonly { readonly version: string; readonly seed: number }[],
) => Promise<string | null>;

interface Replication {
  readonly spec: ProjectSpec;
  readonly ports: LoopPorts;
  readonly tests: Tests;
  readonly budget: Budget;
  readonly signal: AbortSignal;
  readonly commitOf: (version: string) => Promise<string>;
}

/** Whether more seeds could tell more about a candidate. */
const isOpen = ({ look, job, seeds }: Candidate, most: number): boolean =>
  (look?.verdict === "screened" || look?.verdict === "another_seed") &&
  job?.failure === null &&
  seeds.length < most;

/**
 * Trains what was screened in on one further seed, its parent too where that lacks it, and looks again: from here on, only
 * what fresh jobs measure counts. `isOver`: every candidate has its verdict, or no more may be spent.
 */
export async function replicate(
  state: LoopState,
  replication: Replication,
): Promise<{ readonly candidates: Candidate[]; readonly isOver: boolean }> {
  const { spec, ports, budget } = replication;
  const seeds = seedsOf(spec);
  const open = state.candidates.filter((c) => isOpen(c, seeds.length));
  if (open.length === 0) return { candidates: state.candidates, isOver: true };
  const { own, parents } = await jobsOf(state, open, { ...replication, seeds });
  const spent = await budget([...parents, ...own]);
  if (spent !== null) {
    ports.emit({ type: "note", message: `No further seeds are trained: ${spent}` });
    return { candidates: state.candidates, isOver: true };
  }
  const candidates = await trained(state, { open, own, parents }, replication);
  const looked: Candidate[] = [];
  for (const c of candidates)
    looked.push(open.some(({ version }) => version === c.version) ? await look(state, c, replication) : c);
  return { candidates: looked, isOver: !looked.some((c) => isOpen(c, seeds.length)) };
}

/** The next seed of each candidate, and what its parent lacks of its seeds. */
async function jobsOf(
  state: LoopState,
  open: readonly Candidate[],
  { ports, spec, seeds, commitOf }: Replication & { readonly seeds: readonly number[] },
): Promise<{ own: SeedJob[]; parents: SeedJob[] }> {
  const own: SeedJob[] = [];
  const parents = new Map<string, SeedJob>();
  for (const { version, commit, parent, seeds: before } of open) {
    const seed = seeds[before.length];
    if (seed === undefined || commit === null || parent === null) continue;
    const what = `training with seed ${seed}`;
    const work = trainingOf(seed, spec, { isKept: false });
    own.push({ version, commit, seed, work, policyOf: startOf(spec, state, parent), what });
    const has = await seedsOfVersion(ports, parent);
    const parentCommit = await commitOf(parent);
    const grandparent = await ports.parentOf(parent);
    for (const lacks of [...before, seed].filter((s) => !has.includes(s)))
      parents.set(`${parent} ${lacks}`, {
        ...{
          version: parent,
          commit: parentCommit,
          seed: lacks,
          policyOf: startOf(spec, state, grandparent),
        },
        work: trainingOf(lacks, spec, { isKept: true }),
        what: `training with seed ${lacks}, to compare ${version} with`,
      });
  }
  return { own, parents: [...parents.values()] };
}

/** The candidates after their jobs and those of their parents. */
async function trained(
  state: LoopState,
  {
    open,
    ...jobs
  }: {
    readonly open: readonly Candidate[];
    readonly own: readonly SeedJob[];
    readonly parents: readonly SeedJob[];
  },
  replication: Replication,
): Promise<Candidate[]> {
  const { ports } = replication;
  // Short jobs beside long ones: where there is room for two, measuring again takes no time of its own.
  const [measuring, training] = await Promise.allSettled([
    measureFresh(open, replication),
    trainSeeds(state, jobs, replication),
  ]);
  if (measuring.status === "rejected") throw measuring.reason;
  if (training.status === "rejected") throw training.reason;
  const [again, ran] = [measuring.value, training.value];
  for (const version of new Set(ran.map(({ job }) => job.version))) await ports.collect(version, "all");
  return state.candidates.map((c) => {
    const one = ran.find(({ job }) => job.version === c.version && jobs.own.includes(job));
    if (one === undefined) return c;
    const measured = again.get(c.version);
    if (measured !== undefined && measured.failure !== null) return { ...c, job: jobOf(measured) };
    const { failure } = one.result;
    return failure === null ? { ...c, seeds: [...c.seeds, one.job.seed] } : { ...c, job: jobOf(one.result) };
  });
}

function trainSeeds(
  { domain }: LoopState,
  { own, parents }: { readonly own: readonly SeedJob[]; readonly parents: readonly SeedJob[] },
  { spec, ports, signal }: Replication,
): Promise<RanJob[]> {
  const place = { domain, ports, signal };
  // A candidate that starts from its parent's policy needs the parent's of that seed.
  return spec.trainer.start === "parent"
    ? runJobs(parents, place).then(async (ran) => [...ran, ...(await runJobs(own, place))])
    : runJobs([...parents, ...own], place);
}

/** Has fresh jobs measure what so far only the jobs that trained it did, and says how those ended that were needed. */
async function measureFresh(
  open: readonly Candidate[],
  { spec, ports }: Replication,
): Promise<ReadonlyMap<string, TrainResult>> {
  const found = new Map<string, TrainResult>();
  if (spec.evaluation.rerun !== "kept") return found;
  const measuring = open.map(async ({ version, commit, seeds }) => {
    const result = commit === null ? null : await ports.remeasure(version, commit, seeds);
    if (result !== null) found.set(version, result);
  });
  // None may still be measured when this has failed.
  for (const one of await Promise.allSettled(measuring)) if (one.status === "rejected") throw one.reason;
  return found;
}

/**
 * Measures what is about to be kept by fresh jobs and looks at it again, without spending another look; null where the
 * project decides by what the training jobs measured. Repeated after a crash it comes to the same.
 */
export async function measureAgain(
  state: LoopState,
  candidate: Candidate,
  replication: Omit<Replication, "budget" | "commitOf">,
): Promise<Candidate | null> {
  const { spec, ports } = replication;
  const { version, commit, seeds } = candidate;
  if (spec.evaluation.rerun !== "kept" || commit === null) return null;
  const result = await ports.remeasure(version, commit, seeds);
  const measured = result === null ? candidate : { ...candidate, job: jobOf(result) };
  // What the budget left with one seed rests on the look of its screening.
  const { look: last } = measured;
  if (last?.verdict === "keep" || (last?.verdict === "screened" && seeds.length === 1))
    return look(state, measured, replication, ":again");
  // What was measured so before is what the decision already rests on.
  return result === null ? null : measured;
}

async function look(
  state: LoopState,
  candidate: Candidate,
  { spec, ports, tests }: Omit<Replication, "budget" | "commitOf">,
  suffix = "",
): Promise<Candidate> {
  const { version, parent, seeds, job, place, keptBefore } = candidate;
  if (parent === null || job === null || job.failure !== null) return candidate;
  const rules = testingRules(spec, state.planned);
  const parentSeeds = await seedsOfVersion(ports, parent);
  const tested = async () => ({
    candidate: await testedOf(ports, version, seeds),
    parent: await testedOf(ports, parent, parentSeeds),
    noise: await noiseOf(state, rules, { ports, tests }),
    rules,
  });
  // The first look was the screening; each further seed is one more.
  const looks = { looksDone: seeds.length - 2, looksAtMost: rules.seeds - 1 };
  const { verdict, comparison, reason } =
    candidate.without !== null
      ? { verdict: "another_seed" as const, comparison: null, reason: withoutGain(candidate.without) }
      : seeds.length === 1
        ? tests.screen(await tested())
        : tests.replicate({ ...(await tested()), place, keptBefore, ...looks });
  await ports.appendToLedger([
    {
      id: `screening:${version}:s${seeds.join("-")}${suffix}`,
      at: ports.now(),
      domain: state.domain,
      type: "screening",
      ...{ version, seeds, comparison, verdict, reason },
    },
  ]);
  ports.emit({ type: "screened", version, seeds, verdict, reason });
  return { ...candidate, look: { verdict, reason, comparison, parentSeeds } };
}
