import {
  counted,
  figure,
  percentOf,
  percent,
  pointsWithin,
  value,
} from "../../../../shared/words/numbers.ts";
import { peopleSaid } from "../../../../shared/words/people.ts";
import { withPlainTexts } from "../../base/plainText.ts";
import type { RunNow } from "../../engine/following/attached.ts";
import { paint, type Io } from "../terminal/io.ts";
import { liveLines, type LiveLines } from "../terminal/liveLines.ts";
import { sentences, table } from "../terminal/table.ts";

type Step = RunNow["steps"][number];
type Comparison = NonNullable<RunNow["comparison"]>;

const mostMetrics = 12;
const mostSteps = 10;

/** How a run stands, as a page. */
export function summaryOf(io: Pick<Io, "color" | "terminal" | "columns">, now: RunNow): string {
  const heading = (text: string): string => paint(io, "bold", text);
  const lines = [headline(now)];
  if (now.steps.length > 0) {
    const shown = now.steps.slice(-mostSteps);
    lines.push(
      "",
      heading("Steps"),
      table(
        [
          ["  step", "rollouts", "reward", "solved", ""],
          ...shown.map((step) => [
            `  ${step.step}`,
            `${step.rollouts}`,
            step.reward === null ? "–" : value(step.reward),
            solved(step),
            step.step === now.newest?.step ? standing(now) : "",
          ]),
        ],
        [0, 1, 2],
        io,
      ),
    );
  }
  if (now.labels.length > 0)
    lines.push(
      "",
      heading("Labels"),
      table(
        [
          ["  label", "all steps", `step ${now.newest?.step ?? "–"}`],
          ...now.labels.map((label) => [`  ${label.name}`, rateOf(label), newestRate(label, now)]),
        ],
        [],
        io,
      ),
      ...peopleSaid(now.people ?? []).map((line) => `  ${line}`),
    );
  if (now.metrics.length > 0)
    lines.push(
      "",
      heading("Metrics, the newest values"),
      table(
        now.metrics
          .slice(0, 4 * mostMetrics)
          .map(({ name, step, value: x }) => [`  ${name}`, figure(x), `step ${step}`]),
        [1],
        io,
      ),
    );
  if (now.metrics.length > 4 * mostMetrics)
    lines.push(`  … ${now.metrics.length - 4 * mostMetrics} more: evotrainer diagnose ${now.version}`);
  if (now.alarms.length > 0)
    lines.push("", heading("Alarms"), ...now.alarms.map((a) => `  ${alarm(a, now)}`));
  if (now.comparison !== null) lines.push("", ...comparisonLines(io, now.comparison));
  lines.push(...problemLines(now));
  return lines.join("\n");
}

/** Prints what changed since the last look: a line for each fact, and the state of the run as a line that is redrawn. */
export class RunLines {
  readonly #io: Io;
  readonly #live: LiveLines | undefined;
  #said: RunNow | undefined;
  /** Steps of which a line says that they are complete. */
  readonly #complete = new Set<number>();

  constructor(io: Io) {
    this.#io = io;
    this.#live = io.json ? undefined : liveLines(io);
  }

  show(run: RunNow): void {
    const now = withPlainTexts(run);
    const before = this.#said;
    this.#said = now;
    if (before === undefined) this.#out(summaryOf(this.#io, now));
    else {
      for (const path of now.replaced)
        this.#out(`! ${path} was replaced or cut: it is read from its beginning`);
      this.#steps(now, before);
      if (now.steps.length === 0 && metricsUpTo(now) > metricsUpTo(before)) this.#out(metricsLine(now));
      for (const found of now.alarms)
        if (!before.alarms.some(({ name }) => name === found.name)) this.#out(alarm(found, now));
      for (const { name } of before.alarms)
        if (!now.alarms.some((a) => a.name === name)) this.#out(`  over: ${name}`);
      if (now.comparison !== null && now.comparison.step !== before.comparison?.step)
        this.#out(comparisonLines(this.#io, now.comparison).join("\n"));
      // A line that is half written is the usual case while a run writes.
      const told = problemLines({ ...before, waiting: [] });
      for (const line of problemLines({ ...now, waiting: [] }))
        if (line !== "" && !told.includes(line)) this.#out(line);
    }
    if (now.newest?.isComplete === true) this.#complete.add(now.newest.step);
    this.#live?.draw([headline(now)]);
  }

  /** Says something beside the run. */
  say(text: string): void {
    this.#live?.clear();
    this.#io.err(`${text}\n`);
  }

  /** Leaves the terminal as it was. */
  end(): void {
    this.#live?.clear();
    this.#live?.done();
  }

  #steps(now: RunNow, before: RunNow): void {
    const last = before.steps.at(-1)?.step ?? -1;
    for (const step of now.steps) {
      const isNewest = step.step === now.newest?.step;
      if (isNewest && !now.newest.isComplete) {
        if (step.step > last) this.#out(`step ${step.step}  begun: ${standing(now)}`);
      } else if (step.step >= last && !this.#complete.has(step.step)) {
        this.#complete.add(step.step);
        this.#out(stepLine(step, now));
      }
    }
  }

  #out(text: string): void {
    this.#live?.clear();
    this.#io.out(`${text}\n`);
  }
}

function headline(now: RunNow): string {
  const where = `Version ${now.version}`;
  const metrics = metricsUpTo(now);
  if (now.newest === null || now.split === null)
    return metrics < 0
      ? `${where}: no rollouts and no metrics yet.`
      : `${where}: metrics up to step ${metrics}, no rollouts yet.`;
  return `${where}, ${now.split} split: ${counted(now.rollouts, "rollout")}, step ${now.newest.step} ${standing(now)}${metrics < 0 ? "" : `, metrics up to step ${metrics}`}.`;
}

/** The newest step that has metrics; -1 where none has. */
const metricsUpTo = ({ metrics }: RunNow): number =>
  metrics.reduce((most, { step }) => Math.max(most, step), -1);

/** What most people watch first, whatever stands before the name. */
const telling = /(?:^|\/)(?:reward|score|kl|entropy|grad_norm|loss)(?:\/mean)?$/;

/** One line for the newest step of a run that has metrics alone. */
function metricsLine(now: RunNow): string {
  const step = metricsUpTo(now);
  const at = now.metrics.filter((metric) => metric.step === step);
  const first = at.filter(({ name }) => telling.test(name));
  const shown = [...first, ...at.filter((metric) => !first.includes(metric))].slice(0, 6);
  return [`step ${step}`, ...shown.map(({ name, value: x }) => `${name} ${figure(x)}`)].join("  ");
}

function standing({ newest }: RunNow): string {
  if (newest === null) return "";
  if (newest.isComplete) return "complete";
  const of = newest.expected === null ? " so far" : ` of about ${newest.expected}`;
  return `INCOMPLETE (${newest.rollouts}${of}: ${newest.why ?? ""})`;
}

const solved = ({ pass, fail }: Step): string => (pass + fail === 0 ? "–" : percentOf(pass, pass + fail));

/** One line for a step, with the labels and metrics of it. */
function stepLine(step: Step, now: RunNow): string {
  const labels = Object.entries(step.labels)
    .slice(0, 6)
    .map(([name, rollouts]) => `${name} ${percent(rollouts / step.rollouts)}`);
  const metrics = now.metrics
    .filter((metric) => metric.step === step.step)
    .slice(0, 4)
    .map(({ name, value: x }) => `${name} ${figure(x)}`);
  return [
    `step ${step.step}  ${counted(step.rollouts, "rollout")}`,
    ...(step.reward === null ? [] : [`reward ${value(step.reward)}`]),
    ...(step.pass + step.fail === 0 ? [] : [`solved ${solved(step)}`]),
    ...labels,
    ...metrics,
  ].join("  ");
}

type Label = RunNow["labels"][number];

const rateOf = ({ labelled, of, over }: Label): string =>
  `${of === 0 ? "–" : percent(labelled / of)} (${labelled}/${of}${over === "group" ? " groups" : ""})`;

function newestRate({ name, over }: Label, { steps }: RunNow): string {
  const newest = steps.at(-1);
  if (over === "group" || newest === undefined) return "–";
  const labelled = newest.labels[name] ?? 0;
  return `${percent(labelled / newest.rollouts)} (${labelled}/${newest.rollouts})`;
}

function alarm({ name, severity, message }: RunNow["alarms"][number], { since }: RunNow): string {
  const step = since[name];
  return `! ALARM ${name} (${severity}${step === undefined || step === null ? "" : `, first seen at step ${step}`}): ${sentences(message)}`;
}

function comparisonLines(io: Pick<Io, "color" | "terminal" | "columns">, c: Comparison): string[] {
  const share = (rate: number | null): string => (rate === null ? "–" : percent(rate));
  const rows = [
    ["  rollouts", `${c.theirs.rollouts}`, `${c.ours.rollouts}`, ""],
    [
      "  reward",
      c.theirs.reward === null ? "–" : value(c.theirs.reward),
      c.ours.reward === null ? "–" : value(c.ours.reward),
      "",
    ],
    ["  solved", solved(c.theirs), solved(c.ours), ""],
    ...c.labels.map(({ label, theirs, ours, difference, low, high, says }) => [
      `  ${label}`,
      share(theirs),
      share(ours),
      `${difference === null || low === null || high === null ? "" : `${pointsWithin(difference, low, high)}: `}${says}`,
    ]),
    ...c.metrics.slice(0, mostMetrics).map((m) => [`  ${m.name}`, figure(m.theirs), figure(m.ours), ""]),
  ];
  return [
    paint(io, "bold", `Against ${c.with}, both at step ${c.step}`),
    table([["", c.with, "this run", ""], ...rows], [], io),
    ...c.notes.map((note) => `  ${note}`),
  ];
}

/** What could not be read, and what waits. */
function problemLines(now: RunNow): string[] {
  const listed = (title: string, entries: readonly string[]): string[] =>
    entries.length === 0
      ? []
      : [
          `${title}:`,
          ...entries.slice(0, 5).map((entry) => `  ${entry}`),
          ...(entries.length > 5 ? [`  … ${entries.length - 5} more`] : []),
        ];
  const lines = [
    ...listed("The last line is not complete yet", now.waiting),
    ...listed(
      "Set aside",
      now.problems.map(({ path, line, reason }) => `${path}:${line}: ${reason}`),
    ),
    ...listed(
      "Could not be read",
      now.refused.map(({ path, reason }) => `${path}: ${reason}`),
    ),
    ...now.notes,
  ];
  return lines.length === 0 ? [] : ["", ...lines];
}
