import type { Decision } from "../../../../shared/ledger/ledger.ts";
import type { FailureClass } from "../../../../shared/model/failureClass.ts";
import { failureClasses } from "../../../../shared/model/failureClass.ts";

/** What a status word says. */
export interface Meaning {
  readonly decision: Decision | null;
  readonly failure: FailureClass | null;
}

const says = (decision: Decision, failure: FailureClass | null = null): Meaning => ({ decision, failure });

/** Words whose meaning is the same in every log that we know of. Others (iterate, contender, killed …) are left undecided. */
const words = new Map<string, Meaning>([
  ...["keep", "kept", "accept", "accepted"].map((w) => [w, says("keep")] as const),
  ...["base", "baseline"].map((w) => [w, says("base")] as const),
  ...["discard", "discarded", "reject", "rejected"].map((w) => [w, says("reject")] as const),
  ...["revert", "reverted"].map((w) => [w, says("revert")] as const),
  ...["crash", "crashed"].map((w) => [w, says("reject", "crash")] as const),
  ...["prune", "pruned"].map((w) => [w, says("prune")] as const),
  ...["merge", "merged"].map((w) => [w, says("merge")] as const),
  ["invalid", says("invalid")],
  ...failureClasses
    .filter((c) => c !== "crash")
    .map((c) => [c, says(c === "disqualified" ? "invalid" : "reject", c)] as const),
]);

/** The meaning of a status word; undecided for a word that is not known. */
export function meaningOf(status: string | null): Meaning {
  return words.get(status?.trim().toLowerCase() ?? "") ?? { decision: null, failure: null };
}

/** Whether a status says that the trial did not come to a measurement, so that a zero beside it is a filler. */
export function isFailing(status: string | null): boolean {
  return /^(crash|fail|error|kill|oom|timeout|abort|infra)/i.test(status?.trim() ?? "");
}

const placeholders = new Set(["", "-", "--", "none", "n/a", "na", "null", "nan", "nil", "tbd", "?"]);

/** Whether a cell stands for "nothing". */
export function isPlaceholder(text: string): boolean {
  return placeholders.has(text.trim().toLowerCase());
}

/** A number written in decimal, or undefined. */
export function numberIn(text: string): number | undefined {
  const plain = text.trim();
  if (!/^[-+]?(\d+\.?\d*|\.\d+)(e[-+]?\d+)?$/i.test(plain)) return undefined;
  const value = Number(plain);
  return Number.isFinite(value) ? value : undefined;
}

const lower = /(^|_|\b)(loss|bpb|perplexity|ppl|latency|error|errors|wer|cer|mae|mse|rmse)(_|\b|$)/i;
const higher = /(^|_|\b)(accuracy|acc|throughput|tflops|speedup|solve_rate|pass_rate|reward|f1)(_|\b|$)/i;

/** Which way a metric of this name is better, where the name leaves no doubt. */
export function directionOf(metric: string): "higher" | "lower" | null {
  const down = lower.test(metric);
  const up = higher.test(metric);
  return down === up ? null : down ? "lower" : "higher";
}

/** Milliseconds of a time written as ISO 8601, or as seconds or milliseconds since 1970; null when it is none of them. */
export function timeIn(value: unknown): number | null {
  if (typeof value === "string") {
    const number = numberIn(value);
    if (number !== undefined) return timeIn(number);
    // A time without a zone is read as UTC, so that the same file gives the same commits everywhere.
    const match =
      /^(\d{4}-\d{2}-\d{2})(?:[T ](\d{2}:\d{2}(?::\d{2}(?:\.\d+)?)?))?\s*(Z|[-+]\d{2}:?\d{2})?$/.exec(
        value.trim(),
      );
    if (match === null) return null;
    const ms = Date.parse(`${match[1] ?? ""}T${match[2] ?? "00:00"}${match[3] ?? "Z"}`);
    return Number.isFinite(ms) && ms >= 0 ? ms : null;
  }
  if (typeof value !== "number" || !Number.isFinite(value)) return null;
  // Below: seconds up to the year 2286, above: milliseconds from 1973. Anything else is no time of a training run.
  if (value >= 1e8 && value < 1e10) return Math.round(value * 1000);
  return value >= 1e11 && value < 1e13 ? Math.round(value) : null;
}
