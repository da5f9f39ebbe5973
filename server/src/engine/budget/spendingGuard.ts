import { HarnessError } from "../../base/errors.ts";
import { countedOfType } from "../../lineage/trust/countedEntries.ts";
import { counted } from "../../../../shared/words/numbers.ts";
import type { Estimate } from "../../decision/budgets/estimate.ts";
import { nothing, sumOf, budgetNames, type Amounts } from "../../decision/budgets/spending.ts";
import { amountText, budgetText, withinBudget } from "../../decision/budgets/withinBudget.ts";
import type { LoopPorts, TrainRequest } from "../../loop/ports.ts";
import type { LoopState } from "../../loop/state.ts";
import type { ProjectSpec } from "../../../../shared/spec/project.ts";
import { hostsOf } from "../jobs/jobList.ts";
import { runRecords } from "../jobs/runRecords.ts";
import { parseRunId, runId, runsOf } from "../workspace/runs.ts";
import type { Workspace } from "../workspace/workspace.ts";
import { currencyOf, estimateNow, hasJobs, isRecorded, spentNow, type Books } from "./spentNow.ts";

export interface GuardOptions {
  readonly workspace: Workspace;
  /** The project with the budgets that are in force at this moment. */
  readonly spec: () => Promise<ProjectSpec>;
  readonly since: string;
  /** The machine that jobs probably run on. */
  readonly machine: string;
  readonly note: (message: string) => void;
}

/** Watches over the budgets of an evolution: nothing is spent that does not fit. */
export interface SpendingGuard {
  /** Before a generation, and before the first of its jobs: @throws HarnessError budgetSpent where nothing is left for it */
  readonly refuseSpent: (state: LoopState) => Promise<void>;
  /** Says which budgets count nothing here, so that nobody relies on them. */
  readonly noteEmpty: () => Promise<void>;
  /** Says before a generation what it will take. */
  readonly estimate: (state: LoopState) => Promise<void>;
  /** Why these trainings do not fit all together, in a sentence; null where they do. */
  readonly whyNot: (
    jobs: readonly { readonly version: string; readonly seed: number }[],
  ) => Promise<string | null>;
  /** `train` behind a check: @throws HarnessError budgetSpent */
  readonly guarded: (train: LoopPorts["train"]) => LoopPorts["train"];
}

/** What is asked for: the next job of a version, and how many of its runs train. */
interface NextJob {
  readonly version: string;
  readonly trainings: number;
}

export function spendingGuard({ workspace, spec, since, machine, note }: GuardOptions): SpendingGuard {
  /** What the runs may take that this process has begun and that are not over: those of one request together. */
  const reserved = new Map<readonly string[], Amounts>();
  const noted = new Set<string>();
  /** One check after the other: two that begin together must not both fit into what is left for one. */
  let last: Promise<unknown> = Promise.resolve();

  const books = async (): Promise<Books> => {
    const { entries } = await workspace.ledger.read();
    return {
      spec: await spec(),
      jobs: [...countedOfType(entries, "job")],
      questions: [...countedOfType(entries, "question")],
      runs: await runRecords(workspace.engineFolder),
      hosts: await hostsOf(workspace.root),
      since,
    };
  };
  const isReserved = (version: string): boolean =>
    [...reserved.keys()].flat().some((run) => parseRunId(run)?.version === version);
  /** A further seed of a version, or its audit, is no further version: its first seed may have no record yet. */
  const estimateFor = (read: Books, version: string, trainings = 1): Estimate => {
    const estimate = estimateNow(read, machine);
    const isNew = !hasJobs(read, version) && !isReserved(version);
    return { ...estimate, each: { ...estimate.each, versions: isNew ? 1 : 0, trainings } };
  };
  const spent = (read: Books): Amounts =>
    sumOf([spentNow(read, new Set([...reserved.keys()].flat())), ...reserved.values()]);
  /** `version`: whose next job is asked about; null where it is only asked whether anything is left. */
  const check = (read: Books, undone: string, asked: NextJob | null): Amounts => {
    const limits = read.spec.budgets;
    const { currency } = currencyOf(read.hosts);
    if (budgetNames.every((name) => limits[name] === undefined)) return nothing;
    refuseCurrencies(read);
    const next = asked === null ? null : estimateFor(read, asked.version, asked.trainings);
    const within = withinBudget({ limits, spent: spent(read), next });
    if (!within.fits) throw new HarnessError("budgetSpent", budgetText(within, { currency, undone }));
    return next?.each ?? nothing;
  };
  const reserve = async ({ version, work }: TrainRequest, wanted: readonly string[]): Promise<void> => {
    const read = await books();
    // What is over and in the ledger is counted there.
    if (wanted.every((run) => isRecorded(read, run))) return;
    const hasBegun = wanted.every((wantedRun) => read.runs.some(({ run }) => run === wantedRun));
    const undone =
      work.type === "measure" && work.split === "audit"
        ? `${version} was not measured on the audit split, so nothing is promoted.`
        : `${version} was not ${work.type === "train" ? "trained" : "measured"}.`;
    const trainings = work.type === "train" ? wanted.length : 0;
    const each = hasBegun ? estimateNow(read, machine).each : check(read, undone, { version, trainings });
    const isCounted = read.jobs.some((job) => job.version === version) || isReserved(version);
    reserved.set(wanted, { ...each, versions: isCounted ? 0 : 1, trainings });
  };
  return {
    async refuseSpent(state) {
      // What has begun is paid for, and each job is checked by itself.
      if (beforeJobs.has(state.step) && state.phase !== "promote" && state.phase !== "done")
        check(await books(), undoneText(state), null);
    },
    async noteEmpty() {
      for (const message of emptyTexts(await books())) note(message);
    },
    async estimate({ phase, step, generation, candidates }) {
      const key = `${phase} ${generation}`;
      const count = candidates.filter(
        ({ pruned, job, harness }) => pruned === null && job === null && !harness,
      ).length;
      if (phase !== "evolve" || step !== "approve" || count === 0 || noted.has(key)) return;
      noted.add(key);
      const text = estimateText(await books(), machine, { generation, count, spent });
      if (text !== null) note(text);
    },
    async whyNot(jobs) {
      const read = await books();
      const limits = read.spec.budgets;
      const fresh = jobs.filter(({ version, seed }) => {
        const wanted = runId({ version, work: "train", seed });
        return !isRecorded(read, wanted) && !read.runs.some(({ run }) => run === wanted);
      });
      if (fresh.length === 0 || budgetNames.every((name) => limits[name] === undefined)) return null;
      const each = sumOf(fresh.map(({ version }) => estimateFor(read, version).each));
      const within = withinBudget({
        limits,
        spent: spent(read),
        next: { ...estimateNow(read, machine), each },
      });
      const { currency } = currencyOf(read.hosts);
      return within.fits ? null : budgetText(within, { currency, undone: "No further seed was trained." });
    },
    guarded: (train) => async (request, signal, begun) => {
      const wanted = runsOfRequest(request);
      const mine = last.then(() => reserve(request, wanted));
      last = mine.catch(() => undefined);
      await mine;
      try {
        return await train(request, signal, begun);
      } finally {
        reserved.delete(wanted);
      }
    },
  };
}

const runsOfRequest = ({ version, work, seeds }: TrainRequest): readonly string[] =>
  runsOf(version, work.type === "measure" ? work.split : work.type, seeds).map(runId);

const beforeJobs: ReadonlySet<LoopState["step"]> = new Set([
  "collect",
  "diagnose",
  "hypothesise",
  "intervene",
  "backtest",
  "approve",
]);

function undoneText({ phase, generation, generations }: LoopState): string {
  if (phase !== "evolve") return "Nothing was started.";
  return `Generation ${generation} of ${generations} was not begun, and nothing is promoted.`;
}

/** @throws HarnessError projectInvalid */
function refuseCurrencies({ spec, hosts }: Books): void {
  const { several } = currencyOf(hosts);
  if (spec.budgets.money !== undefined && several.length > 0)
    throw new HarnessError(
      "projectInvalid",
      `\`budgets.money\` cannot be counted: the hosts of evotrainer.yaml have prices in ${several.join(" and ")}; give them one currency, or set a budget for each host instead.`,
    );
}

/** Budgets that count nothing here, so that nobody relies on them. */
function emptyTexts({ spec, hosts }: Books): string[] {
  const { gpuHours, money } = spec.budgets;
  const hasGpus = Object.values(hosts).some(
    (h) => h.gpus > 0 || h.slurm?.gres !== undefined || (h.ray?.gpus ?? 0) > 0,
  );
  return [
    ...(gpuHours !== undefined && gpuHours > 0 && !hasGpus
      ? [
          "`budgets.gpuHours` counts nothing, because no host in evotrainer.yaml says how many GPUs its jobs have.",
        ]
      : []),
    ...(money !== undefined && money > 0 && currencyOf(hosts).currency === null
      ? ["`budgets.money` counts nothing, because no host in evotrainer.yaml has a price."]
      : []),
  ];
}

function estimateText(
  read: Books,
  machine: string,
  { generation, count, spent }: { generation: number; count: number; spent: (read: Books) => Amounts },
): string | null {
  const limited = budgetNames.filter((name) => read.spec.budgets[name] !== undefined);
  if (limited.length === 0) return null;
  const { each, from } = estimateNow(read, machine);
  const { currency } = currencyOf(read.hosts);
  const used = spent(read);
  const parts = limited.map((name) => {
    const left = Math.max(0, (read.spec.budgets[name] ?? 0) - used[name]);
    return `${amountText(name, each[name] * count, currency)} of the ${amountText(name, left, currency)} left`;
  });
  const basis = from === 0 ? "at most, by the limit of a job" : `by the jobs of ${counted(from, "version")}`;
  return `Generation ${generation} will take about ${parts.join(", ")} (${counted(count, "version")}; ${basis}).`;
}
