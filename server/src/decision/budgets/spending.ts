import type { LedgerEntry } from "../../../../shared/ledger/ledger.ts";
import type { BudgetsSpec } from "../../../../shared/spec/gates.ts";

/** What an evolution can run out of. */
export const budgetNames = [
  "gpuHours",
  "money",
  "wallClockHours",
  "versions",
  "trainings",
  "tokens",
] as const;
export type BudgetName = (typeof budgetNames)[number];

/** An amount of each: hours, units of the currency, counts. */
export type Amounts = Readonly<Record<BudgetName, number>>;
export const nothing: Amounts = {
  ...{ gpuHours: 0, money: 0, wallClockHours: 0, versions: 0, trainings: 0, tokens: 0 },
};

/** What the limits of an evolution are; a budget that is left out has no limit. */
export type Limits = Pick<BudgetsSpec, BudgetName>;

type JobEntry = Extract<LedgerEntry, { type: "job" }>;
export type QuestionEntry = Extract<LedgerEntry, { type: "question" }>;

/** A job that is not in the ledger yet, because it runs, or the engine died before it wrote the entry. */
export interface OpenJob {
  readonly version: string;
  readonly seconds: number;
  readonly gpus: number;
  /** What an hour of it costs. */
  readonly hourly: number;
}

/**
 * What an evolution has spent: the entries of jobs and of questions to proposers of its domain since it began, and the jobs
 * that have begun and have no entry yet. An entry is counted once, whichever clones wrote it.
 */
export function spentBy(
  entries: Iterable<LedgerEntry>,
  {
    domain,
    since,
    open = [],
    trainings = 0,
  }: {
    readonly domain: string;
    readonly since: string;
    readonly open?: readonly OpenJob[];
    /** How many runs have trained, which entries do not tell from those that only measured. */
    readonly trainings?: number;
  },
): Amounts {
  const jobs = new Map<string, JobEntry>();
  const questions = new Map<string, QuestionEntry>();
  for (const entry of entries) {
    if (entry.domain !== domain || Date.parse(entry.at) < Date.parse(since)) continue;
    if (entry.type === "job") jobs.set(entry.id, entry);
    else if (entry.type === "question") questions.set(entry.id, entry);
  }
  let [gpuSeconds, money, tokens] = [0, 0, 0];
  for (const question of questions.values()) {
    money += question.price?.amount ?? 0;
    tokens += question.tokens;
  }
  const intervals: [number, number][] = [];
  for (const job of jobs.values()) {
    const seconds = job.seconds ?? 0;
    gpuSeconds += seconds * (job.gpus ?? 0);
    money += job.price?.amount ?? 0;
    tokens += job.tokens ?? 0;
    const end = Date.parse(job.at) / 1000;
    intervals.push([end - (job.wallSeconds ?? seconds), end]);
  }
  for (const { seconds, gpus, hourly } of open) {
    gpuSeconds += seconds * gpus;
    money += (seconds / 3600) * hourly;
  }
  const openSeconds = Math.max(0, ...open.map(({ seconds }) => seconds));
  return {
    gpuHours: gpuSeconds / 3600,
    money,
    wallClockHours: (lengthOf(intervals) + openSeconds) / 3600,
    versions: new Set([...jobs.values(), ...open].map(({ version }) => version)).size,
    trainings,
    tokens,
  };
}

/** How long at least one of the intervals lasts. */
function lengthOf(intervals: readonly (readonly [number, number])[]): number {
  let [length, until] = [0, -Infinity];
  for (const [start, end] of [...intervals].sort(([a], [b]) => a - b)) {
    length += Math.max(0, end - Math.max(start, until));
    until = Math.max(until, end);
  }
  return length;
}

export const sumOf = (amounts: readonly Amounts[]): Amounts => ({
  gpuHours: total(amounts, "gpuHours"),
  money: total(amounts, "money"),
  wallClockHours: total(amounts, "wallClockHours"),
  versions: total(amounts, "versions"),
  trainings: total(amounts, "trainings"),
  tokens: total(amounts, "tokens"),
});

const total = (amounts: readonly Amounts[], name: BudgetName): number =>
  amounts.reduce((sum, one) => sum + one[name], 0);
