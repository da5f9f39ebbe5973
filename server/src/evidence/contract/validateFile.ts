import type { MetricRecord, Rollout } from "../../../../shared/model/rollout.ts";
import { openEvidence, readLines } from "./readLines.ts";
import { parseMetrics, parseRollout, type EvidenceKind } from "./parse.ts";

export interface LineProblem {
  readonly line: number;
  readonly offset: number;
  readonly reason: string;
}

export interface Validation {
  readonly path: string;
  readonly records: number;
  readonly bad: number;
  /** The first problems, at most `maxProblems`. */
  readonly problems: readonly LineProblem[];
}

export interface ValidateOptions {
  readonly kind?: EvidenceKind;
  readonly maxProblems?: number;
  readonly signal?: AbortSignal;
}

/**
 * Checks a file of a finished run against the evidence contract, line by line in constant memory. The last line is
 * held to the same rules as the others, with or without a newline. Ids are remembered to report re-used ones.
 * @throws HarnessError notFound, badInput
 */
export async function validateFile(path: string, options: ValidateOptions = {}): Promise<Validation> {
  const parse = options.kind === "metrics" ? parseMetrics : parseRollout;
  const maxProblems = options.maxProblems ?? 1000;
  const problems: LineProblem[] = [];
  const seen = new Set<string>();
  let records = 0;
  let bad = 0;
  let number = 0;
  const file = await openEvidence(path);
  try {
    for await (const lines of readLines(file, 0)) {
      options.signal?.throwIfAborted();
      for (const line of lines) {
        number++;
        const parsed = parse(line);
        if (parsed.type === "blank") continue;
        const reason = parsed.type === "bad" ? parsed.reason : reused(seen, parsed.record);
        if (reason === undefined) records++;
        else {
          bad++;
          if (problems.length < maxProblems) problems.push({ line: number, offset: line.start, reason });
        }
      }
    }
  } finally {
    await file.close();
  }
  return { path, records, bad, problems };
}

function reused(seen: Set<string>, record: Rollout | MetricRecord): string | undefined {
  const { id, run } = record;
  if (typeof id !== "string" || typeof run !== "string") return undefined;
  const key = JSON.stringify([run, id]);
  if (seen.has(key)) return duplicateReason(id, run);
  seen.add(key);
  return undefined;
}

/** Why a line whose id the run already has is refused. */
export function duplicateReason(id: string, run: string): string {
  return `id ${JSON.stringify(id)} is already used in run ${JSON.stringify(run)}: ids must be unique within a run`;
}
