import type { MetricNames } from "../../../../shared/spec/metricNames.ts";
import { join } from "node:path";
import { MetricRecord } from "../../../../shared/model/rollout.ts";
import { openPlainFile } from "../../base/plainFile.ts";
import { curvesOf } from "../../diagnosis/alarms/archivedRuns.ts";
import type { Curves } from "../../diagnosis/curves.ts";
import { evidenceFiles } from "../../runner/job/evidenceSummary.ts";

/** What is read at once of a file that a job writes, and how long a line of it may be. */
const mostBytes = 8 * 1024 * 1024;

/** The metrics of a job that is running, read on from where the last look stopped. */
export class LiveCurves {
  readonly #path: string;
  readonly #own: MetricNames;
  readonly #series = new Map<string, { steps: number[]; values: number[] }>();
  #read = 0;

  constructor(runDirectory: string, own: MetricNames = {}) {
    this.#own = own;
    this.#path = join(runDirectory, evidenceFiles.metrics);
  }

  /** The curves so far. A half-written line waits for the next look, and a line that is no record is passed over. */
  async look(): Promise<Curves> {
    for (let text = await this.#more(); text !== ""; text = await this.#more())
      for (const line of text.split("\n")) this.#take(line);
    return curvesOf(this.#series, this.#own);
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
      if (value === null) continue;
      const series = this.#series.get(name) ?? { steps: [], values: [] };
      this.#series.set(name, series);
      // Of a step that is written twice the later line counts; a trainer that goes back to a checkpoint writes some again.
      if ((series.steps.at(-1) ?? -1) >= step) {
        const at = series.steps.findIndex((known) => known >= step);
        series.steps.length = at;
        series.values.length = at;
      }
      series.steps.push(step);
      series.values.push(value);
    }
  }
}

function recordIn(line: string): MetricRecord | undefined {
  try {
    const parsed = MetricRecord.safeParse(JSON.parse(line));
    return parsed.success ? parsed.data : undefined;
  } catch {
    return undefined;
  }
}
