import { decisions, jobLooks } from "../../../shared/words/decisions.ts";
import { decisionText, stages } from "../../../shared/words/stages.ts";
import { size, value } from "../../../shared/words/numbers.ts";
import type { EvolutionEvent } from "../../../shared/protocol/views/evolution.ts";

const said = (value: unknown): string =>
  typeof value === "string" ? value : typeof value === "number" ? String(value) : "";

/** An event of the evolution as a line, with its time; "" for one that says nothing to a reader. */
export function eventLine(event: EvolutionEvent): string {
  const text = eventText(event);
  if (text === "") return "";
  const at = new Date(event.at);
  const time = Number.isNaN(at.getTime()) ? "" : at.toTimeString().slice(0, 8);
  return `\u001b[2m${time}\u001b[0m ${text}`;
}

function eventText(event: EvolutionEvent): string {
  const field = (name: string): string => said(event[name]);
  switch (event.type) {
    case "step":
      return field("step") === (field("phase") === "calibrate" ? "train" : "collect")
        ? `\u001b[1m${headline(event)}\u001b[0m`
        : `  ${field("step")}`;
    case "finding":
      return `  ! ${field("name")}: ${field("message")}`;
    case "proposed":
      return `  + ${field("version")} ${field("title")}`;
    case "backtest":
      return `    backtest of ${field("version")}: ${field("summary")}`;
    case "jobStarted":
      return `  > ${field("version")}: ${field("what")}`;
    case "jobProgress": {
      const total = field("stepsTotal");
      const reward = event["reward"];
      return `    ${field("version")}: step ${field("step")}${total === "" ? "" : `/${total}`}${typeof reward === "number" ? ` reward ${value(reward)}` : ""}`;
    }
    case "transfer": {
      const bytes = event["bytes"];
      const total = event["total"];
      const shown = (n: unknown): string => (typeof n === "number" ? size(n) : "?");
      return `    ${field("version")}: ${field("what")} ${shown(bytes)}${total === null ? "" : ` of ${shown(total)}`}`;
    }
    case "jobEnded":
      return event["ok"] === true
        ? `  ${jobLooks.finished.mark} ${field("version")}: ${field("message")}`
        : `  \u001b[31m${jobLooks.failed.mark}\u001b[0m ${field("version")}: ${field("message")}`;
    case "calibrated":
      return `  = Calibration: ${sentencesOf(event["sentences"])}`;
    case "screened":
      return `    ${field("version")}: ${field("reason")}`;
    case "decided":
      return `  = ${field("version")} ${decided(field("decision"), field("stage"))}: ${field("reason")}`;
    case "promoted":
      return `\u001b[1mPromoted ${field("version")}\u001b[0m: ${field("reason")}`;
    case "note":
      return `  ${field("message")}`;
    default:
      return "";
  }
}

const sentencesOf = (told: unknown): string => (Array.isArray(told) ? told.map(said).join(" ") : "");

function decided(word: string, stage: string): string {
  const decision = decisions.find((d) => d === word);
  return decision === undefined ? word : decisionText({ decision, stage: stages.find((s) => s === stage) });
}

function headline(event: EvolutionEvent): string {
  if (event["phase"] === "base") return "Base policy";
  if (event["phase"] === "baseline") return "Baseline";
  if (event["phase"] === "calibrate") return "Calibration";
  return `Generation ${said(event["generation"])} of ${said(event["generations"])}`;
}
