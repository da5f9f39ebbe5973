import type {
  AlarmRecord,
  RunCurves,
  RunMetric,
  RunsShown,
  RunsState,
  RunsUiState,
} from "../../../shared/protocol/views/runs.ts";
import { mostRuns, runMetrics } from "../../../shared/protocol/views/runs.ts";
import { glossary } from "../../../shared/words/glossary.ts";
import { leftText, stepsText } from "../../../shared/words/jobProgress.ts";
import { jobLook } from "../../../shared/words/decisions.ts";
import { createSmallMultiples, lineSample, type CurvePanel } from "../shared/charts/smallMultiples.ts";
import { createButton } from "../shared/button.ts";
import { element, linkButton } from "../shared/dom.ts";
import { countedText, moneyText, valueText } from "../shared/numbers.ts";
import { signElement } from "../shared/outcomes.ts";
import { choice, option } from "../shared/select.ts";
import { visibleLine } from "../shared/visibleText.ts";

export type RunsHandlers = {
  readonly ui: RunsUiState;
  readonly smooth: (smoothing: number) => void;
  /** Shows these jobs besides those that run. */
  readonly choose: (jobs: readonly string[]) => void;
  readonly open: (job: string) => void;
  readonly cancel: (job: string) => void;
};

const titles: Readonly<Record<RunMetric, { readonly title: string; readonly hint: string }>> = {
  reward: {
    title: "Reward",
    hint: "Mean reward of the rollouts of a step, by each version's own terms and weights: where these differ, compare the solve rate",
  },
  score: { title: "Solve rate", hint: "What the trainer logs as its score" },
  kl: { title: "KL", hint: "How far the policy has gone from the one that it started as" },
  entropy: {
    title: "Entropy",
    hint: "How open the policy's choices still are; near 0 it always does the same",
  },
  flat_groups: {
    title: "Dead groups",
    hint: glossary["dead group"],
  },
  response_length: { title: "Length", hint: "Mean length of a response, in tokens" },
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
  const multiples = createSmallMultiples();
  const absent = element("p", "quiet");
  content.append(jobs, multiples.node, absent);
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
    absent.textContent = `No run here logs: ${missing.map((metric) => titles[metric].title.toLowerCase()).join(", ")}.`;
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
    jobs.replaceChildren(...shown.runs.map((run, place) => rowOf(run, { place, records }, on)));
    drawCurves();
  };
}

const nameOf = ({ job }: RunCurves): string =>
  `${visibleLine(job.version)}${job.seed === null ? "" : ` seed ${job.seed}`}`;

function panelsOf(runs: readonly RunCurves[], records: readonly AlarmRecord[]): CurvePanel[] {
  return runMetrics.flatMap((metric) => {
    const lines = runs.flatMap((run, place) => {
      const found = run.series.find((one) => one.metric === metric);
      if (found === undefined) return [];
      return [
        {
          label: nameOf(run),
          place,
          steps: found.steps,
          values: found.values,
          isLive: run.job.state === "running",
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
    return lines.length === 0 ? [] : [{ ...titles[metric], lines }];
  });
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

function rowOf(
  run: RunCurves,
  { place, records }: { readonly place: number; readonly records: readonly AlarmRecord[] },
  on: RunsHandlers,
): HTMLElement {
  const { job, alarms, because } = run;
  const { mark, word, colour } = jobLook(job);
  const row = element("li");
  const name = linkButton(nameOf(run), () => on.open(job.id));
  name.title = job.id;
  const state = element("span", "state");
  state.append(signElement(mark, `sign colour-${colour}`), ` ${word}`);
  const facts = [
    job.step === null ? "" : `step ${stepsText(job.step, job.stepsTotal)}`,
    leftText(job.etaSeconds),
    job.reward === null ? "" : `reward ${valueText(job.reward)}`,
    job.host === null ? "" : visibleLine(job.host),
    job.cost === null ? "" : moneyText(job.cost),
    because === "parent" ? "its parent" : "",
  ].filter((fact) => fact !== "");
  row.append(lineSample(place), name, state, element("span", "facts", facts.join(" · ")));
  if (alarms.length > 0) {
    const said = element("span", "alarms");
    said.append(
      signElement("▲", "sign colour-orange"),
      ` ${alarms.map(({ name: of, step }) => `${visibleLine(of)} at step ${step}${bracketed(worthOf(of, records))}`).join(", ")}`,
    );
    said.title = alarms.map(({ message }) => visibleLine(message)).join("\n");
    row.append(said);
  }
  if (job.state === "running" || job.state === "queued") {
    const stop = createButton("Stop…", () => on.cancel(job.id), "secondary");
    stop.setAttribute("aria-label", `Stop… ${nameOf(run)}`);
    row.append(stop);
  }
  if (because === "asked")
    row.append(linkButton("remove", () => on.choose(on.ui.jobs.filter((id) => id !== job.id))));
  return row;
}
