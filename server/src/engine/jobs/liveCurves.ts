import type { MetricNames } from "../../../../shared/spec/metricNames.ts";
import { join } from "node:path";
import { MetricRecord } from "../../../../shared/model/rollout.ts";
import { openPlainFile } from "../../base/plainFile.ts";
import { curvesOf } from "../../diagnosis/alarms/archivedRuns.ts";
import { lossOf, type Curves } from "../../diagnosis/curves.ts";
import { evidenceFiles } from "../../runner/job/evidenceSummary.ts";

/** What is read at once of a file that a job writes, and how long a line of it may be. */
const mostBytes = 8 * 1024 * 1024;

interface LiveSeries {
  readonly steps: number[];
  readonly values: number[];
  /** The steps that have NaN, infinity or nothing in place of a number. */
  readonly missing: number[];
}

/** The metrics of a job that is running, read on from where the last look stopped. */
export class LiveCurves {
  readonly #path: string;
  readonly #own: MetricNames;
  readonly #series = new Map<string, LiveSeries>();
  #read = 0;

  constructor(runDirectory: string, own: MetricNames = {}) {
    this.#own = own;
    this.#path = join(runDirectory, evidenceFiles.metrics);
  }

  /** The curves so far. A half-written line waits for the next look, and a line that is no record is passed over. */
  async look(): Promise<Curves> {
    for (let text = await this.#more(); text !== ""; text = await this.#more())
      for (const line of text.split("\n")) this.#take(line);
    const told = [...this.#series].filter(([, { values }]) => values.length > 0);
    const series = told.map(([name, { steps, values, missing }]) => {
      return [name, { steps, values, ...lossOf(steps, missing) }] as const;
    });
    return curvesOf(new Map(series), this.#own);
  }

  /** The next whole lines; empty where there are none. */
  async #more(): Promise<string> {
    const file = await openPlainFile(this.#path);
    if (file === undefined) return "";
    try {
      const buffer = Buffer.alloc(Math.min(mostBytes, Math.max(0, (await file.stat()).size - this.#read)));
      const { bytesRead } = await file.read(buffer, 0, buffer.length, this.#read);
      const end = buffer.subarray(0, bytesRead).lastIndexOf(0x0a) + 1;
      // A longer line is no record of metrics.
      this.#read += end === 0 && bytesRead === mostBytes ? bytesRead : end;
      return buffer.toString("utf8", 0, end);
    } finally {
      await file.close();
    }
  }

  #take(line: string): void {
    const record = recordIn(line);
    if (record === undefined) return;
    const { step, ...values } = record;
    for (const [name, value] of Object.entries(values)) {
      const series = this.#series.get(name) ?? { steps: [], values: [], missing: [] };
      this.#series.set(name, series);
      // Of a step that is written twice the later line counts; a trainer that goes back to a checkpoint writes some again.
      const kept = countBefore(series.steps, step);
      series.steps.length = series.values.length = kept;
      series.missing.length = countBefore(series.missing, step);
      if (value === null) series.missing.push(step);
      else {
        series.steps.push(step);
        series.values.push(value);
      }
    }
  }
}

/** How many of these steps come before this one; nearly always all, which is asked first. */
function countBefore(steps: readonly number[], step: number): number {
  if ((steps.at(-1) ?? -1) < step) return steps.length;
  return steps.findIndex((known) => known >= step);
}

/** NaN and infinities, which JSON has no word for, and which Python writes. */
const notNumbers = /(:\s*)(NaN|-?Infinity)(?=\s*[,}])/g;

function recordIn(line: string): MetricRecord | undefined {
  try {
    const parsed = MetricRecord.safeParse(JSON.parse(line.replaceAll(notNumbers, "$1null")));
    return parsed.success ? parsed.data : undefined;
  } catch {
    return undefined;
  }
}
