import { failureBeside } from "../../../shared/model/failureText.ts";
import { commandTitles } from "../../../shared/words/commandTitles.ts";
import { versionLook } from "../../../shared/words/comparedText.ts";
import { alertText } from "../../../shared/words/alertText.ts";
import { alertLooks, decisionLooks, jobLook } from "../../../shared/words/decisions.ts";
import type { FromJobView, JobDetail, JobRow, JobViewModel } from "../../../shared/protocol/views/job.ts";
import { element } from "../shared/dom.ts";
import { dateTimeText, durationText, moneyText, percentText, valueText } from "../shared/numbers.ts";
import { signElement } from "../shared/outcomes.ts";
import { createButton } from "../shared/button.ts";
import { visibleLine, visibleText } from "../shared/visibleText.ts";
import { createCurve } from "./curve.ts";

type Action = Extract<FromJobView, { type: "action" }>["action"];

const works: Readonly<Record<JobRow["work"], string>> = {
  train: "training, then evaluation on the selection split",
  selection: "evaluation on the selection split",
  again: "second evaluation",
  audit: "evaluation on the audit split",
  other: "",
};

/** Draws the view of a job into an element and returns how to draw it again. Buttons keep the focus that they have. */
export function createView(app: HTMLElement, act: (action: Action) => void): (model: JobViewModel) => void {
  const title = element("h1");
  const state = element("p", "state");
  state.setAttribute("role", "status");
  const buttons = {
    log: createButton(commandTitles["evotrainer.followLog"], () => act("log"), "primary"),
    cancel: createButton(`${commandTitles["evotrainer.cancelJob"]}…`, () => act("cancel"), "secondary"),
    rerun: createButton("Rerun", () => act("rerun"), "secondary"),
    rollouts: createButton("Show Rollouts", () => act("rollouts"), "secondary"),
    openFolder: createButton(commandTitles["evotrainer.openRunFolder"], () => act("openFolder"), "secondary"),
    refresh: createButton("Refresh", () => act("refresh"), "secondary"),
  };
  const tools = element("div", "tools");
  tools.append(...Object.values(buttons));
  const top = element("header", "top");
  top.append(title, tools);
  const verdict = element("p", "verdict");
  const alerts = element("section", "alerts");
  const message = element("section", "message");
  message.setAttribute("role", "status");
  const failure = element("section", "failure");
  const facts = element("section");
  const curve = createCurve();
  const output = element("section", "output");
  const content = element("div", "content");
  content.append(state, verdict, alerts, failure, facts, curve.node, output);
  app.replaceChildren(top, message, content);

  return (model) => {
    const shown = model.type === "job" ? model.detail : undefined;
    message.hidden = shown !== undefined;
    content.hidden = shown === undefined;
    for (const [name, button] of Object.entries(buttons))
      button.hidden = shown === undefined && name !== "refresh";
    if (model.type === "loading") message.replaceChildren(element("p", "", "Reading the job…"));
    if (model.type === "none")
      message.replaceChildren(element("p", "cause", model.cause), element("p", "", model.advice));
    if (shown === undefined) return;
    const { job } = shown;
    title.textContent = job.id;
    buttons.cancel.hidden = !["running", "queued"].includes(job.state);
    buttons.rerun.hidden = !["failed", "cancelled", "lost"].includes(job.state);
    const { mark, colour, word } = jobLook(job);
    const told = `${word.charAt(0).toUpperCase()}${word.slice(1)}${job.waitsFor === null ? "" : `: ${job.waitsFor}`}`;
    // A screen reader says the state when it changes, not with every step.
    if (state.dataset["told"] !== `${mark} ${told}`) {
      state.className = "state";
      state.dataset["told"] = `${mark} ${told}`;
      state.replaceChildren(signElement(mark, `sign colour-${colour}`), ` ${told}`);
    }
    verdict.replaceChildren(...verdictParts(job));
    verdict.hidden = !verdict.hasChildNodes();
    alerts.replaceChildren(...alertLines(job));
    failure.hidden = job.failure === null;
    failure.replaceChildren(...failureParts(job));
    facts.replaceChildren(factList(shown));
    curve.update(shown.curve, job.stepsTotal);
    output.replaceChildren(...outputParts(shown));
  };
}

/** How what was trained compares; a job that finished well may have trained something worse. */
function verdictParts({ compared, notValid, version, work }: JobRow): (Node | string)[] {
  if (notValid === true)
    return [
      signElement(decisionLooks.invalid.mark, `sign colour-${decisionLooks.invalid.colour}`),
      " Its version is not valid: no number of it is to be trusted.",
    ];
  if (compared === undefined || work === "audit") return [];
  const { mark, colour, word } = versionLook(version, compared);
  return [signElement(mark, `sign colour-${colour}`), ` Its version, ${visibleLine(word)}`];
}

/** What set off an alert in what was trained. */
const alertLines = ({ alerts = [] }: JobRow): HTMLElement[] =>
  alerts.map((found) => {
    const { mark, colour, word } = alertLooks[found.alert];
    const line = element("p", "verdict");
    line.append(
      signElement(mark, `sign colour-${colour}`),
      ` Its version: ${word}, ${visibleLine(alertText(found))}`,
    );
    return line;
  });

function failureParts({ failure }: JobRow): HTMLElement[] {
  if (failure === null) return [];
  const { message } = failure;
  const what =
    failure.class === null ? "Why it failed" : `It ${failureBeside({ failure: failure.class, message })}`;
  return [
    element("h2", "", what),
    element("p", "cause", visibleText(message)),
    element("h2", "", "What to do"),
    element("p", "", failure.advice),
  ];
}

function factList({ job, directory, commit }: JobDetail): HTMLElement {
  const list = element("dl", "facts");
  const add = (name: string, value: string | null): void => {
    if (value === null || value === "") return;
    list.append(element("dt", "", name), element("dd", "", visibleText(value)));
  };
  add("Version", job.version);
  add("Work", works[job.work]);
  add("Seed", job.seed === null ? null : String(job.seed));
  add("Run", job.attempt > 1 ? `rerun ${job.attempt - 1}` : null);
  add("Host", job.host ?? "this machine");
  add(
    "Step",
    job.step === null ? null : `${job.step}${job.stepsTotal === null ? "" : ` of ${job.stepsTotal}`}`,
  );
  add("Reward", job.reward === null ? null : valueText(job.reward));
  add("GPUs", job.gpus === 0 ? null : String(job.gpus));
  add("GPU use", job.gpuUse === null ? null : percentText(job.gpuUse));
  add("Time", durationText(job.seconds));
  // Less than a second before the end there is nothing left to wait for.
  add(
    "Time left",
    job.etaSeconds === null || job.etaSeconds < 1 ? null : `about ${durationText(job.etaSeconds)}`,
  );
  add("Cost", job.cost === null ? null : moneyText(job.cost));
  add("Started", job.startedAt === null ? null : dateTimeText(job.startedAt));
  add("Commit", commit?.slice(0, 12) ?? null);
  add("Folder", directory);
  return list;
}

function outputParts({ lastLines }: JobDetail): HTMLElement[] {
  const part = (name: string, lines: readonly string[]): HTMLElement[] => {
    if (lines.length === 0) return [];
    const text = element("pre", "", visibleText(plain(lines.join("\n"))));
    // It scrolls, so that it has to be reached by keyboard.
    text.tabIndex = 0;
    text.setAttribute("role", "region");
    text.setAttribute("aria-label", `Last lines of ${name}`);
    return [element("h2", "", `Last lines of ${name}`), text];
  };
  const parts = [...part("standard error", lastLines.stderr), ...part("standard output", lastLines.stdout)];
  return parts.length > 0 ? parts : [element("p", "quiet", "It has printed nothing.")];
}

/** Colours are for the terminal: here they would be signs in the text. */
const plain = (text: string): string => text.replace(/\u001b\[[0-9;:]*m/g, "");
