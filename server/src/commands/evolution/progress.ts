import { withPlainTexts } from "../../base/plainText.ts";
import { decisionLooks, jobLooks, terminalColours } from "../../../../shared/words/decisions.ts";
import { decisionText } from "../../../../shared/words/stages.ts";
import { duration, percent, size, value } from "../../../../shared/words/numbers.ts";
import type { LoopEvent } from "../../loop/events.ts";
import { paint, type Io } from "../terminal/io.ts";
import { liveLines, type LiveLines } from "../terminal/liveLines.ts";
import { sentences } from "../terminal/table.ts";
import { SaidFailures } from "./saidFailures.ts";

interface RunningJob {
  readonly version: string;
  readonly what: string;
  step: number;
  stepsTotal: number | null;
  reward: number | null;
  etaSeconds: number | null;
  /** What is on its way between the machines, as words. */
  transfer: string;
  /** Last tenth that was printed where lines cannot be redrawn. */
  printed: number;
}

/** Shows the loop as it runs: finished facts as lines, running jobs as lines that are redrawn on a terminal. */
export class Progress {
  /** What was said of jobs that failed. */
  readonly failures = new SaidFailures();
  readonly #io: Io;
  readonly #live: LiveLines | undefined;
  readonly #jobs = new Map<string, RunningJob>();
  readonly #started = Date.now();

  constructor(io: Io) {
    this.#io = io;
    this.#live = liveLines(io);
  }

  show(said: LoopEvent): void {
    const event = withPlainTexts(this.failures.once(said));
    switch (event.type) {
      case "step":
        if (event.step === (event.phase === "calibrate" ? "train" : "collect"))
          this.#line(paint(this.#io, "bold", headline(event.phase, event.generation, event.generations)));
        break;
      case "finding":
        this.#line(`  ${event.severity === "info" ? "·" : "!"} ${event.name}: ${sentences(event.message)}`);
        break;
      case "proposed":
        this.#line(`  + ${paint(this.#io, "cyan", event.version)} ${event.title}`);
        break;
      case "backtest":
        this.#line(`    backtest of ${event.version}: ${sentences(event.summary)}`);
        break;
      case "jobStarted":
        this.#jobs.set(keyOf(event), {
          version: event.version,
          what: event.what,
          step: 0,
          stepsTotal: null,
          reward: null,
          etaSeconds: null,
          transfer: "",
          printed: 0,
        });
        this.#line(`  > ${event.version}: ${event.what}`);
        break;
      case "jobProgress":
        this.#progress(event);
        break;
      case "transfer":
        this.#transfer(event);
        break;
      case "jobEnded":
        this.#jobs.delete(keyOf(event));
        this.#line(
          `  ${(event.ok ? jobLooks.finished : jobLooks.failed).mark} ${event.version}: ${sentences(event.message)} (${duration(event.seconds)})`,
        );
        break;
      case "calibrated":
        this.#line(`  = Calibration: ${event.sentences.map(sentences).join(" ")}`);
        break;
      case "screened":
        this.#line(`    ${event.version}: ${sentences(event.reason)}`);
        break;
      case "decided":
        this.#line(
          `  = ${event.version} ${event.score === null ? "" : percent(event.score)} ${paint(this.#io, terminalColours[decisionLooks[event.decision].colour], decisionText(event))}: ${sentences(event.reason)}`,
        );
        break;
      case "promoted":
        this.#line(paint(this.#io, "bold", `Promoted ${event.version}: ${sentences(event.reason)}`));
        break;
      case "note":
        this.#line(`  ${sentences(event.message)}`);
        break;
    }
  }

  /** Leaves the terminal as it was; the last lines stay. */
  end(): void {
    this.#jobs.clear();
    this.#live?.clear();
    this.#live?.done();
  }

  #progress(event: Extract<LoopEvent, { type: "jobProgress" }>): void {
    const job = this.#jobs.get(keyOf(event));
    if (job === undefined) return;
    Object.assign(job, {
      step: event.step,
      stepsTotal: event.stepsTotal,
      reward: event.reward,
      etaSeconds: event.etaSeconds,
      transfer: "",
    });
    if (this.#live !== undefined) this.#redraw();
    else {
      const quarter = job.stepsTotal === null ? 0 : Math.floor((4 * job.step) / job.stepsTotal);
      if (quarter > job.printed) {
        job.printed = quarter;
        this.#line(`    ${describe(job)}`);
      }
    }
  }

  #transfer(event: Extract<LoopEvent, { type: "transfer" }>): void {
    const { what, bytes, total } = event;
    const job = this.#jobs.get(keyOf(event));
    if (job === undefined) return;
    job.transfer = `${what} ${size(bytes)}${total === null ? "" : ` of ${size(total)}`}`;
    this.#redraw();
  }

  #line(text: string): void {
    this.#live?.clear();
    this.#io.err(`${paint(this.#io, "dim", clock(Date.now() - this.#started))} ${text}\n`);
    this.#redraw();
  }

  #redraw(): void {
    if (this.#live === undefined || this.#jobs.size === 0) return;
    this.#live.draw([...this.#jobs.values()].map((job) => `      ${describe(job)}`));
  }
}

/** Several seeds of one version may run side by side. */
const keyOf = ({ version, seed }: { readonly version: string; readonly seed: number }): string =>
  `${version} ${seed}`;

function headline(phase: string, generation: number, generations: number): string {
  if (phase === "base") return "Base policy";
  if (phase === "baseline") return "Baseline";
  if (phase === "calibrate") return "Calibration";
  return `Generation ${generation} of ${generations}`;
}

function describe(job: RunningJob): string {
  const { version } = job;
  if (job.transfer !== "") return `${version}: ${job.what}  ${job.transfer}`;
  const total = job.stepsTotal === null ? "" : `/${job.stepsTotal}`;
  const reward = job.reward === null ? "" : `  reward ${value(job.reward)}`;
  const eta = job.etaSeconds === null ? "" : `  ETA ${duration(job.etaSeconds)}`;
  return `${version}: ${job.what}  step ${job.step}${total}${reward}${eta}`;
}

/** 83000 ms as 01:23. */
function clock(ms: number): string {
  const seconds = Math.floor(ms / 1000);
  return `${String(Math.floor(seconds / 60)).padStart(2, "0")}:${String(seconds % 60).padStart(2, "0")}`;
}
