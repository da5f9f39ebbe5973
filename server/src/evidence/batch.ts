import type { MetricRecord, Rollout } from "../../../shared/model/rollout.ts";
import type { Line } from "./lines.ts";
import { parseMetrics, parseRollout } from "./parse.ts";
import type { Source } from "./sources.ts";
import type { LineProblem } from "./validateFile.ts";

/** A record and the line it came from. */
export interface Located<T> {
  readonly line: number;
  readonly offset: number;
  readonly record: T;
}

export interface BadLine extends LineProblem {
  /** The start of the line. */
  readonly raw: Buffer;
}

/** How much of a refused line is kept. */
export const rawBytes = 4096;

/** Lines that are committed together. */
export class Batch {
  readonly source: Source;
  readonly start: number;
  end: number;
  lines: number;
  readonly rollouts: Located<Rollout>[] = [];
  readonly metrics: Located<MetricRecord>[] = [];
  readonly problems: BadLine[] = [];

  constructor(source: Source, start: number, lines: number) {
    this.source = source;
    this.start = start;
    this.end = start;
    this.lines = lines;
  }

  get records(): number {
    return this.rollouts.length + this.metrics.length;
  }

  add(line: Line): void {
    this.lines++;
    this.end = line.end;
    const at = { line: this.lines, offset: line.start };
    const refuse = (reason: string): void => {
      // Copied, because the reader's buffer is reused.
      this.problems.push({ ...at, reason, raw: Buffer.from(line.bytes.subarray(0, rawBytes)) });
    };
    if (this.source.kind === "metrics") {
      const parsed = parseMetrics(line);
      if (parsed.type === "record") this.metrics.push({ ...at, record: parsed.record });
      else if (parsed.type === "bad") refuse(parsed.reason);
      return;
    }
    const parsed = parseRollout(line);
    if (parsed.type === "bad") refuse(parsed.reason);
    else if (parsed.type === "record") {
      const { run } = this.source;
      if (run === null || parsed.record.run === run) this.rollouts.push({ ...at, record: parsed.record });
      else
        refuse(
          `run must be ${JSON.stringify(run)}, the run of this file, got ${JSON.stringify(parsed.record.run)}`,
        );
    }
  }
}
