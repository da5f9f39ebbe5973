import { group } from "d3";
import type {
  AlarmRecord,
  RunCurves,
  RunMetric,
  RunsShown,
  RunsState,
  RunsUiState,
} from "../../../shared/protocol/views/runs.ts";
import { mostRuns, runMetrics } from "../../../shared/protocol/views/runs.ts";
import { alertText } from "../../../shared/words/alertText.ts";
import { leftText, stepsText } from "../../../shared/words/jobProgress.ts";
import { alertLooks, jobLook, verdictLooks } from "../../../shared/words/decisions.ts";
import { shortName } from "../../../shared/words/shortName.ts";
import { createSmallMultiples, lineSample, type CurvePanel } from "../shared/charts/smallMultiples.ts";
import { createButton } from "../shared/button.ts";
import { element, linkButton } from "../shared/dom.ts";
import { countedText, moneyText, valueText } from "../shared/numbers.ts";
import { signElement } from "../shared/outcomes.ts";
import { choice, option } from "../shared/select.ts";
import { visibleLine } from "../shared/visibleText.ts";
import { metricTitles } from "./metrics.ts";
import { keyOf, mostAlerts, standingOf } from "./standing.ts";
import { verdictLook } from "./soFar.ts";

export type RunsHandlers = {
  readonly ui: RunsUiState;
  readonly smooth: (smoothing: number) => void;
  /** Shows these jobs besides those that run. */
  readonly choose: (jobs: readonly string[]) => void;
  readonly open: (job: string) => void;
  readonly cancel: (job: string) => void;
};

const smoothings = [
  [0, "none"],
  [0.6, "some"],
  [0.9, "much"],
] as const;

/** Draws the curves of several jobs into an element and returns how to draw them again. */
export function createView(app: HTMLElement, on: RunsHandlers): (state: RunsState) => void {
  const header = element("header", "top");
  const message = element("section", "message");
  message.setAttribute("role", "status");
  const content = element("div", "content");
  const jobs = element("ul", "jobs");
  const outcome = element("p", "standing");
  const key = element("p", "key quiet");
  const multiples = createSmallMultiples();
  const absent = element("p", "quiet");
  content.append(outcome, jobs, key, multiples.node, absent);
  let shown: RunsShown | undefined;
  let records: readonly AlarmRecord[] = [];
  const smoothing = choice("Smoothing", "", (value) => {
    on.smooth(Number(value));
    drawCurves();
  });
  for (const [value, text] of smoothings) smoothing.select.append(option(String(value), text));
  const more = choice("Add a run", "", (value) => {
    if (value !== "") on.choose([...on.ui.jobs.filter((job) => job !== value), value].slice(-mostRuns));
  });
  const tools = element("div", "tools");
  tools.append(smoothing.label, more.label);
  header.append(element("h1", "", "Curves of jobs"), tools);
  app.replaceChildren(header, message, content);

  const drawCurves = (): void => {
    if (shown === undefined) return;
    multiples.update(panelsOf(shown.runs, records), on.ui.smoothing);
    const missing = runMetrics.filter((metric) =>
      shown?.runs.every(({ series }) => series.every((one) => one.metric !== metric)),
    );
    absent.hidden = missing.length === 0;
    absent.textContent = `No run here logs: ${missing.map((metric) => metricTitles[metric].title.toLowerCase()).join(", ")}.`;
  };

  return (state) => {
    shown = state.type === "runs" ? state.shown : undefined;
    records = (state.type === "runs" ? state.records : undefined) ?? [];
    message.hidden = shown !== undefined && shown.runs.length > 0;
    content.hidden = tools.hidden = !message.hidden;
    if (state.type === "loading") message.replaceChildren(element("p", "", "Reading the curves…"));
    if (state.type === "none")
      message.replaceChildren(element("p", "cause", state.cause), element("p", "", state.advice));
    if (shown?.runs.length === 0)
      message.replaceChildren(
        element("p", "cause", "No training job has written a curve yet."),
        element("p", "", "They appear here as soon as a version trains."),
      );
    if (shown === undefined) return;
    smoothing.select.value = String(on.ui.smoothing);
    more.label.hidden = shown.others.length === 0;
    more.select.replaceChildren(
      option("", "…"),
      ...shown.others.map(({ id, version, seed }) =>
        option(id, `${visibleLine(version)}${seed === null ? "" : `, seed ${seed}`}`),
      ),
    );
    const { runs } = shown;
    outcome.replaceChildren(...standingOf(runs));
    jobs.replaceChildren(...runs.map((run, place) => rowOf(run, { place, records, runs }, on)));
    key.replaceChildren(...keyOf(runs));
    drawCurves();
  };
}

const nameOf = ({ job }: RunCurves): string =>
  `${visibleLine(job.version)}${job.seed === null ? "" : ` seed ${job.seed}`}`;

/** The panels of all metrics. Rewards of other terms are on another scale: each has a panel of its own, which says so. */
function panelsOf(runs: readonly RunCurves[], records: readonly AlarmRecord[]): CurvePanel[] {
  const ofReward = [...group(runs, termsOf)];
  return runMetrics.flatMap((metric) => {
    if (metric !== "reward" || ofReward.length < 2)
      return panelOf(metric, { runs, records, all: runs, ...metricTitles[metric] });
    return ofReward.flatMap(([of, alike]) =>
      panelOf(metric, { runs: alike, records, all: runs, ...titledByTerms(of, alike) }),
    );
  });
}

/** The version whose terms a reward has; "" where that is not known. */
const termsOf = ({ terms }: RunCurves): string => terms?.of ?? "";

function titledByTerms(of: string, [first]: readonly RunCurves[]): (typeof metricTitles)["reward"] {
  const { title, hint, better } = metricTitles.reward;
  if (of === "") return { title: `${title}, terms not known`, hint, better };
  const change = first?.terms?.change ?? "";
  return {
    title: `${title} by the terms of ${visibleLine(shortName(of))}`,
    hint: change === "" ? hint : `${visibleLine(of)} changed ${visibleLine(change)}. ${hint}`,
    better,
  };
}

function panelOf(
  metric: RunMetric,
  {
    runs,
    records,
    all,
    title,
    hint,
    better,
  }: {
    readonly runs: readonly RunCurves[];
    readonly records: readonly AlarmRecord[];
    /** Those that are compared, in their order: a run looks the same in every panel. */
    readonly all: readonly RunCurves[];
    readonly title: string;
    readonly hint: string;
    readonly better: string;
  },
): CurvePanel[] {
  const lines = runs.flatMap((run) => {
    const found = run.series.find((one) => one.metric === metric);
    if (found === undefined) return [];
    return [
      {
        label: nameOf(run),
        place: all.indexOf(run),
        steps: found.steps,
        values: found.values,
        isLive: run.job.state === "running",
        isTrusted: run.job.notValid !== true,
        marks: run.alarms
          .filter(({ metrics }) => isShownOn(metric, metrics, run))
          .map(({ name, step }) => ({
            step,
            text: [`${visibleLine(name)} fired at step ${step}`, worthOf(name, records)]
              .filter((part) => part !== "")
              .join("; "),
          })),
      },
    ];
  });
  return lines.length === 0 ? [] : [{ title, hint, better, lines }];
}

/** An alarm stands on the curves that it looks at, or on the first one where none of them is drawn. */
function isShownOn(metric: RunMetric, looksAt: readonly string[], { series }: RunCurves): boolean {
  const drawn = series.map((one) => one.metric).filter((one) => looksAt.includes(one));
  return drawn.length > 0 ? drawn.includes(metric) : series[0]?.metric === metric;
}

const bracketed = (text: string): string => (text === "" ? "" : ` (${text})`);

/** `false in 2 of 19 healthy runs`: what an alarm is worth. */
function worthOf(alarm: string, records: readonly AlarmRecord[]): string {
  const record = records.find(({ name }) => name === alarm);
  if (record === undefined) return "";
  return record.healthy === 0
    ? "no healthy run to judge it by"
    : `false in ${record.falseAlarms} of ${countedText(record.healthy, "healthy run")}`;
}

function childrenOf({ job }: RunCurves, runs: readonly RunCurves[]): string {
  const of = runs.filter(({ parent, because }) => because === "running" && parent === job.version);
  const names = [...new Set(of.map((run) => visibleLine(shortName(run.job.version))))];
  return names.length === 0 ? "a job that runs" : names.join(" and ");
}

/** Which is better, worse, or not to be trusted: as it was decided, or by the curves so far. */
function verdictOf(run: RunCurves, runs: readonly RunCurves[]): HTMLElement {
  const { mark, colour, word } = verdictLook(run, runs);
  const isDecided = run.job.compared !== undefined || run.job.notValid === true;
  const made = element(isDecided ? "strong" : "span", "verdict");
  made.title = isDecided
    ? "Of the version, by its rollouts of the selection split; this run is one of its seeds."
    : mark === verdictLooks.withheld.mark
      ? "Nothing compares them yet: the selection split decides, once the version was evaluated on it."
      : "By the last steps that both have, on the items of the training; the selection split decides later.";
  if (word !== "") made.append(signElement(mark, `sign colour-${colour}`), ` ${visibleLine(word)}`);
  return made;
}

/** What set off an alert in what was trained, beside the run that trained it. */
function alertsOf({ job: { version, alerts = [] } }: RunCurves): HTMLElement[] {
  if (alerts.length === 0) return [];
  const said = element("span", "alarms");
  for (const [i, found] of alerts.slice(0, mostAlerts).entries()) {
    const { mark, colour } = alertLooks[found.alert];
    said.append(
      i === 0 ? "" : ", ",
      signElement(mark, `sign colour-${colour}`),
      ` ${visibleLine(alertText(found))}`,
    );
  }
  const more = alerts.length > mostAlerts ? ` and ${alerts.length - mostAlerts} more` : "";
  said.append(`${more} in ${visibleLine(shortName(version))}`);
  said.title = [
    `Of ${visibleLine(version)}, over all of its seeds:`,
    ...alerts.map((found) => `${alertLooks[found.alert].word}: ${visibleLine(alertText(found))}`),
  ].join("\n");
  return [said];
}

/** Alarms on the curves of this run that have fired. */
function alarmsOf({ alarms }: RunCurves, records: readonly AlarmRecord[]): HTMLElement[] {
  if (alarms.length === 0) return [];
  const { mark, colour } = alertLooks.warning;
  const said = element("span", "alarms");
  said.append(
    signElement(mark, `sign colour-${colour}`),
    ` ${alarms.map(({ name: of, step }) => `${visibleLine(of)} at step ${step}${bracketed(worthOf(of, records))}`).join(", ")}`,
  );
  said.title = alarms.map(({ message }) => visibleLine(message)).join("\n");
  return [said];
}

/** Rewards of runs with other terms stand in rows beneath each other, and are not to be compared. */
function rewardText(reward: number, run: RunCurves, runs: readonly RunCurves[]): string {
  const of = termsOf(run);
  const differ = runs.some((other) => termsOf(other) !== of);
  return `reward ${valueText(reward)}${differ && of !== "" ? ` by the terms of ${visibleLine(shortName(of))}` : ""}`;
}

function rowOf(
  run: RunCurves,
  {
    place,
    records,
    runs,
  }: {
    readonly place: number;
    readonly records: readonly AlarmRecord[];
    readonly runs: readonly RunCurves[];
  },
  on: RunsHandlers,
): HTMLElement {
  const { job, because } = run;
  const { mark, word, colour } = jobLook(job);
  const row = element("li");
  const name = linkButton(nameOf(run), () => on.open(job.id));
  name.title = job.id;
  const state = element("span", "state");
  state.append(signElement(mark, `sign colour-${colour}`), ` ${word}`);
  const facts = [
    job.step === null ? "" : `step ${stepsText(job.step, job.stepsTotal)}`,
    leftText(job.etaSeconds),
    job.reward === null || job.notValid === true ? "" : rewardText(job.reward, run, runs),
    job.host === null ? "" : visibleLine(job.host),
    job.cost === null ? "" : moneyText(job.cost),
    because === "parent" ? `the parent of ${childrenOf(run, runs)}` : "",
  ].filter((fact) => fact !== "");
  // A line ends between two facts, and in none.
  const whole = facts.map((fact) => fact.replaceAll(" ", "\u00a0"));
  row.append(lineSample(place), name, state, verdictOf(run, runs));
  row.append(...alertsOf(run), ...alarmsOf(run, records));
  row.append(element("span", "facts", whole.join(" · ")));
  if (job.state === "running" || job.state === "queued") {
    const stop = createButton("Stop…", () => on.cancel(job.id), "secondary");
    stop.setAttribute("aria-label", `Stop… ${nameOf(run)}`);
    row.append(stop);
  }
  if (because === "asked")
    row.append(linkButton("remove", () => on.choose(on.ui.jobs.filter((id) => id !== job.id))));
  return row;
}
