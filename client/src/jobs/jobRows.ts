import { failureText } from "../../../shared/model/failureText.ts";
import { alertText } from "../../../shared/words/alertText.ts";
import { alertLooks, evolutionIcons, jobLook, jobLooks } from "../../../shared/words/decisions.ts";
import {
  dateTime,
  duration,
  hours as hoursText,
  money,
  percent,
  points,
  value,
} from "../../../shared/words/numbers.ts";
import { comparedLook, versionLook } from "../../../shared/words/comparedText.ts";
import { shortName } from "../../../shared/words/shortName.ts";
import { leftText, roughlyLeft, stepsText } from "../../../shared/words/jobProgress.ts";
import type { EvolutionStatus } from "../../../shared/protocol/views/evolution.ts";
import type { LineageStanding } from "../../../shared/protocol/views/lineage.ts";
import { budgetTexts } from "../../../shared/model/budgetText.ts";
import type { JobRow, MachineSpending } from "../../../shared/protocol/views/job.ts";

const stepText = ({ step, stepsTotal }: Pick<JobRow, "step" | "stepsTotal">): string =>
  step === null ? "" : `step ${step}${stepsTotal === null ? "" : ` of ${stepsTotal}`}`;

const works: Readonly<Record<JobRow["work"], string>> = {
  train: "training",
  selection: "evaluation",
  audit: "audit",
  again: "second evaluation",
  other: "",
};

/** What a row is called: its version, and what tells it from the version's other jobs. */
export function jobLabel({ version, work, seed, attempt }: JobRow): string {
  const more = [
    works[work],
    seed === null ? "" : `seed ${seed}`,
    attempt > 1 ? `rerun ${attempt - 1}` : "",
  ].filter((part) => part !== "");
  return more.length === 0 ? version : `${version} · ${more.join(" · ")}`;
}

/** The same in the side bar, where a long name would hide how far it is; a row without more words is a training. */
export function jobRowLabel(job: JobRow): string {
  const { version, work, seed } = job;
  const isPlain = work === "train" && seed !== null;
  return jobLabel({ ...job, version: shortName(version), work: isPlain ? "other" : work });
}

/** The state, and of a failed job how it failed, which mostly says the state as well. */
function stateWords(job: JobRow): string[] {
  const { word } = jobLook(job);
  const how = job.state === "failed" ? failureText(job.failure?.class ?? "") : "";
  return how.startsWith(word) ? [how] : [word, how];
}

/** The line beside it: state first, because it is what a reader looks for. */
export function jobDescription(job: JobRow): string {
  const over = !isActive(job);
  return [
    ...stateWords(job),
    job.waitsFor ?? "",
    job.host ?? "",
    over && job.state !== "finished" ? "" : stepText(job),
    job.reward === null ? "" : `reward ${value(job.reward)}`,
    job.gpuUse === null || over ? "" : `GPU ${percent(job.gpuUse)}`,
    over ? duration(job.seconds) : "",
    leftText(job.etaSeconds),
    job.cost === null ? "" : money(job.cost),
    job.changed === undefined ? "" : "evidence changed",
  ]
    .filter((part) => part !== "")
    .join(" · ");
}

/**
 * The line beside a row of the side bar, where there is room for a few words: how far a job is, or what came of its version. A
 * side bar cuts a row wherever its room ends; so that this is in no number, the others are on hover.
 */
export function jobBrief(job: JobRow): string {
  const { state, step, stepsTotal, etaSeconds } = job;
  const verdict = briefVerdict(job);
  const isSaid = state === "running" || (verdict !== "" && jobLook(job) === jobLooks.finished);
  return [
    ...(isSaid ? [] : stateWords(job)),
    verdict,
    briefAlerts(job),
    isActive(job) ? stepsText(step, stepsTotal) : "",
    roughlyLeft(etaSeconds),
    job.host ?? "",
    job.changed === undefined ? "" : "evidence changed",
  ]
    .filter((part) => part !== "")
    .join(" · ");
}

/** `v4 ▼ −45.8 points`: how the version compares, whose verdict is not one on this seed alone. */
function briefVerdict({ version, work, compared }: JobRow): string {
  if (work !== "train" || compared === undefined) return "";
  return `${shortName(version)} ${comparedLook(compared).mark} ${points(compared.difference)}`;
}

/** `‼ dead-group +2`: the worst alert of what was trained, and how many more it has; all of them are on hover. */
function briefAlerts({ work, alerts = [] }: JobRow): string {
  const [worst, ...others] = alerts;
  if (work !== "train" || worst === undefined) return "";
  return `${alertLooks[worst.alert].mark} ${worst.name}${others.length === 0 ? "" : ` +${others.length}`}`;
}

/** Jobs that are over and not among the newest of these, which stand in a fold of their own. */
const mostRecent = 5;

/** The jobs that are looked at, and those that are older. Those that are not over come first in `jobs`, then the newest. */
export function foldedJobs(jobs: readonly JobRow[]): {
  readonly recent: readonly JobRow[];
  readonly older: readonly JobRow[];
} {
  const active = jobs.filter(isActive).length;
  return { recent: jobs.slice(0, active + mostRecent), older: jobs.slice(active + mostRecent) };
}

/** All of it in words, one thing a line; a failure with what to do. */
export function jobTooltip(job: JobRow): string {
  return [
    `${jobLabel(job)} (${job.id})`,
    jobDescription(job),
    ...ofVersion(job),
    job.host === null ? "on this machine" : `on ${job.host}`,
    job.startedAt === null ? "" : `started ${dateTime(job.startedAt)}`,
    job.failure?.message ?? "",
    job.failure?.advice ?? "",
    job.changed ?? "",
  ]
    .filter((line) => line !== "")
    .join("\n\n");
}

/** What was found of the version that it trained or measured, a line each. */
const ofVersion = ({ version, compared, alerts = [] }: JobRow): string[] => [
  ...(compared === undefined ? [] : [`Its version, ${versionLook(version, compared).word}`]),
  ...alerts.map((found) => `Its version: ${alertLooks[found.alert].word}, ${alertText(found)}`),
];

/** What is heard of a row. */
export const jobSaid = (job: JobRow): string =>
  [jobLabel(job), jobDescription(job), ...ofVersion(job)].join(", ");

/** What machines with a price or a budget took; "" where there is none. */
export function spendingText(spending: readonly MachineSpending[]): string {
  const parts = spending.flatMap(({ host, hours, cost, budget }) => {
    if (cost === null && budget === null) return [];
    const limits = budgetTexts(budget ?? {}, cost?.currency);
    const left = limits.length === 0 ? "" : ` (budget per ${budget?.per ?? ""}: ${limits.join(", ")})`;
    return [`${host} ${cost === null ? hoursText(hours) : money(cost)}${left}`];
  });
  return parts.length === 0 ? "" : `Spent: ${parts.join(" · ")}`;
}

export const isActive = ({ state }: Pick<JobRow, "state">): boolean =>
  state === "running" || state === "queued" || state === "checking";

export const mayCancel = ({ state }: Pick<JobRow, "state">): boolean =>
  state === "running" || state === "queued";

export const mayRerun = ({ state }: Pick<JobRow, "state">): boolean =>
  state === "failed" || state === "cancelled" || state === "lost";

/** What the menus of a row go by. */
export const jobContext = (job: JobRow): string =>
  `job${mayCancel(job) ? ".active" : ""}${mayRerun(job) ? ".rerunnable" : ""}`;

/** The row of the evolution above its jobs. */
export function evolutionText({ state, message, generation, generations }: EvolutionStatus): {
  readonly label: string;
  readonly description: string;
  readonly icon: string;
} {
  const label = generation === 0 ? "Evolution" : `Evolution · generation ${generation} of ${generations}`;
  return { label, description: message, icon: evolutionIcons[state] };
}

/** What runs, as the lineage shows it. */
export const runningOf = (jobs: readonly JobRow[]): LineageStanding["running"] =>
  jobs
    .filter(({ state }) => state === "running")
    .map(({ id, version, step, stepsTotal, etaSeconds }) => ({ id, version, step, stepsTotal, etaSeconds }));

export type StatusText = { readonly text: string; readonly tooltip: string };

/** The item of the status bar for the job that runs, or nothing. */
export function jobStatus(jobs: readonly JobRow[]): StatusText | undefined {
  const active = jobs.filter(isActive);
  const [first] = active;
  if (first === undefined) return undefined;
  const step =
    first.step === null ? "" : ` ${first.step}${first.stepsTotal === null ? "" : `/${first.stepsTotal}`}`;
  const more = active.length > 1 ? ` +${active.length - 1}` : "";
  return {
    text: `$(${jobLooks[first.state].icon}) ${first.version}${step}${more}`,
    tooltip: active.map((job) => `${jobLabel(job)}: ${jobDescription(job)}`).join("\n"),
  };
}

/** The item of the status bar for versions that wait at a gate, or nothing. */
export function gateStatus({ waiting, message }: EvolutionStatus): StatusText | undefined {
  if (waiting.length === 0) return undefined;
  return {
    text: `$(bell-dot) ${waiting.length} at the gate`,
    tooltip: `${message}\n${waiting.map(({ version, title }) => `${version}: ${title}`).join("\n")}`,
  };
}

/** The item of the status bar for who has the archive, or nothing when nobody has it. */
export function ownerStatus({ owner }: EvolutionStatus): StatusText | undefined {
  const pid = owner.pid === null ? "" : ` (process ${owner.pid})`;
  switch (owner.type) {
    case "none":
      return undefined;
    case "self":
      return { text: "$(database) this window", tooltip: `This window has the archive open${pid}.` };
    case "evolution":
      return {
        text: "$(database) evolution",
        tooltip: `The evolution has the archive open${pid}; this window gets its data from there.`,
      };
    case "other":
      return {
        text: "$(database) other process",
        tooltip: `Another process of EvoTrainer has the archive open${pid}; this window gets its data from there.`,
      };
  }
}
