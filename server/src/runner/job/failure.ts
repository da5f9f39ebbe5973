import { counted } from "../../../../shared/words/numbers.ts";
import type { FailureClass } from "../../../../shared/model/failureClass.ts";
import type { Split } from "../../../../shared/model/rollout.ts";
import type { Alteration } from "./evaluationCheck.ts";
import type { JobStatus } from "./executor.ts";
import { hasEvidence, type EvidenceSummary } from "./evidenceSummary.ts";

/** All that the class of a finished job depends on. */
export interface FinishedJob {
  /** A status that is over. */
  readonly status: JobStatus;
  readonly evidence: EvidenceSummary;
  /** Splits that were asked for, each with the ids of its items. */
  readonly expected: readonly { readonly split: Split; readonly items: readonly string[] }[];
  /** How many rollouts of each item a measured split has; null where the project does not say. */
  readonly samples: number | null;
  /** What the job did to a file that its version is measured on. */
  readonly altered: Alteration | undefined;
  readonly budgetSeconds: number;
  readonly evidenceLimitBytes: number;
  /** The last line that the trainer wrote to its standard error, or else to its standard output; "" when there is none. */
  readonly lastLine: string;
  /** What it asked for that exists on this machine, in a temporary folder that no confined job sees. */
  readonly unseen?: string | undefined;
  /** Where the logs are. */
  readonly directory: string;
}

export interface JobVerdict {
  readonly failure: FailureClass | null;
  /** One sentence: what happened, the trainer's last words, what to do. */
  readonly message: string;
}

/**
 * The failure class of a finished job (null: it is good). What makes the evidence worthless whatever the trainer did comes
 * first: cancelled or lost, then changed evaluation files, then limits, then crashes, then missing evidence.
 */
export function classifyJob(end: FinishedJob): JobVerdict {
  const { status, evidence } = end;
  const said = end.lastLine === "" ? "" : ` (last line: ${end.lastLine})`;
  const unseen =
    end.unseen === undefined
      ? ""
      : ` ${end.unseen} is on this machine, but a confined job does not see it: its temporary folders are empty. Put it elsewhere, such as into the project's folder.`;
  if (status.cancelled)
    return {
      failure: "harness_abort",
      message: `The job was cancelled after ${whole(status.seconds)} s; run it again if it is still wanted.`,
    };
  if (status.state === "lost")
    return {
      failure: "harness_abort",
      message: `The job was lost after it had started${status.reason === null ? ", and nobody knows why" : ` because ${status.reason}`}; run it again.`,
    };
  if (end.altered !== undefined) {
    const { file, isRestored } = end.altered;
    return {
      failure: "disqualified",
      message: `The job changed the evaluation file ${file}${isRestored ? " and put it back before it ended" : ""}, so its scores do not count; make the trainer leave it alone.`,
    };
  }
  if (status.oversize || evidence.bytes > end.evidenceLimitBytes)
    return {
      failure: "size_blocked",
      message: `The evidence grew beyond ${whole(end.evidenceLimitBytes / 1024 ** 2)} MiB; write fewer or shorter rollouts.`,
    };
  if (status.timedOut) return overrun(end, said);
  if (status.reason !== null)
    return {
      failure: "preflight_crash",
      message: `The trainer did not run: ${status.reason}; correct ${status.mend ?? "trainer.command"}.${unseen}`,
    };
  if (status.exitCode !== 0) {
    const how =
      status.signal === null
        ? `exited with ${status.exitCode ?? "no code"}`
        : `was ended by ${status.signal}`;
    const because = status.because === undefined ? said : ` because ${status.because}${said}`;
    return hasEvidence(evidence)
      ? {
          failure: "crash",
          message: `The trainer ${how} after ${counted(count(evidence), "rollout")}${because}; see ${end.directory}/stderr.log.${missingModule(end.lastLine)}`,
        }
      : {
          failure: "preflight_crash",
          message: `The trainer ${how} before its first evidence${because}; see ${end.directory}/stderr.log.${missingModule(end.lastLine)}${unseen}`,
        };
  }
  return (
    missingEvidence(end) ?? {
      failure: null,
      message: `The job finished in ${whole(status.seconds)} s with ${counted(count(evidence), "rollout")}.`,
    }
  );
}

/** Which budget was overrun: the evaluation's when an evaluated split was being written last. */
function overrun({ status, evidence, budgetSeconds }: FinishedJob, said: string): JobVerdict {
  const isEvaluating = evidence.lastSplit === "selection" || evidence.lastSplit === "audit";
  const phase = isEvaluating ? "evaluating" : "training";
  return {
    failure: isEvaluating ? "eval_budget_overrun" : "train_budget_overrun",
    message:
      status.because !== undefined
        ? `The trainer was still ${phase} when ${status.because}${said}.`
        : `The trainer was still ${phase} when its ${whole(budgetSeconds)} s had passed${said}; raise trainer.budgetSeconds or make ${isEvaluating ? "the evaluation" : "the training"} shorter.`,
  };
}

function missingEvidence({ evidence, expected, samples, directory }: FinishedJob): JobVerdict | undefined {
  for (const { split, items } of expected) {
    const bad =
      evidence.badLines === 0
        ? ""
        : ` (${counted(evidence.badLines, "line was", "lines were")} torn or invalid)`;
    if (evidence.rollouts[split] === 0)
      return {
        failure: "incomplete",
        message: `The trainer exited with 0 but wrote no rollouts of the ${split} split to ${directory}/rollouts.jsonl${bad}; check that it writes to EVO_RUN_DIR.`,
      };
    // Training may sample its items; what is measured has to be whole.
    const missing = split === "train" ? [] : items.filter((item) => !evidence.items[split].has(item));
    if (missing.length > 0)
      return {
        failure: "incomplete",
        message: `The trainer exited with 0 but ${missing.length} of ${items.length} items of the ${split} split have no rollout, first ${missing[0] ?? ""}${bad}; make it evaluate every item.`,
      };
    // Who leaves out what failed has a better score.
    const few =
      split === "train" || samples === null
        ? []
        : items.filter((item) => (evidence.samples[split].get(item) ?? 0) < samples);
    if (few.length > 0)
      return {
        failure: "incomplete",
        message: `The trainer exited with 0 but ${few.length} of ${items.length} items of the ${split} split have fewer rollouts than the ${samples} of evaluation.samples, first ${few[0] ?? ""}${bad}; make it write every rollout, those that failed as well. If it is meant to write fewer, lower evaluation.samples in evotrainer.yaml.`,
      };
  }
  return undefined;
}

function count(evidence: EvidenceSummary): number {
  return evidence.rollouts.train + evidence.rollouts.selection + evidence.rollouts.audit;
}

function whole(value: number): string {
  return value < 10 ? String(Math.round(value * 10) / 10) : String(Math.round(value));
}

/**
 * What to do about a module that Python does not find, by the name that people know it by. What a framework itself lacks is
 * named as Python names it: our templates ask for the framework before they start it.
 */
function missingModule(line: string): string {
  const name = /^ModuleNotFoundError: No module named '([\w.-]+)'/.exec(line)?.[1]?.split(".")[0];
  if (name === undefined) return "";
  const what = frameworks[name] ?? name;
  return ` ${what} is not installed for the Python that trainer.command starts: install it there, or name a Python that has it.`;
}

/** Frameworks by the name of their module. */
const frameworks: Readonly<Record<string, string>> = {
  roll: "ROLL",
  verl: "verl",
  trl: "TRL",
  prime_rl: "prime-rl",
  torch: "PyTorch",
};

/** A line that names an error, as Python, Node and most others print it. */
const namesAnError =
  /^(?:Uncaught |Unhandled |fatal: )?[\w.]*(?:Error|Exception|Interrupt|Killed)(?=:|$)|^error:|^fatal:|panicked at/i;

/**
 * The line of a log's tail that says what happened: the last that names an error, else the last with words; without
 * control characters, cut to one readable length. Node prints its version after the error, other tools a hint.
 */
export function lastWords(tail: string): string {
  const lines = tail
    .replace(/\u001b\[[0-9;?]*[A-Za-z]/g, "")
    .split(/[\r\n]+/)
    .map((l) => l.replace(/[\u0000-\u001f\u007f]/g, " ").trim())
    .filter((l) => l !== "");
  const line = lines.findLast((l) => namesAnError.test(l)) ?? lines.at(-1) ?? "";
  return line.length > 300 ? `${line.slice(0, 299)}…` : line;
}
