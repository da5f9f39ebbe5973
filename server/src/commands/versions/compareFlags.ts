import { HarnessError } from "../../base/errors.ts";
import { isColumn, measuredBetter, type Column } from "../../engine/comparison/measure.ts";

/** The options of `evotrainer compare`. */
export interface CompareFlags {
  readonly flips: boolean;
  readonly metric?: string | undefined;
  readonly step?: "all" | "last" | "best" | number | undefined;
  readonly pickedFrom?: number | undefined;
  readonly guardrail: readonly string[];
  readonly candidates: boolean;
  readonly profile: boolean;
}

export interface GuardrailAsked {
  metric: string;
  tolerance: number;
  better?: "higher" | "lower";
}

const exampleTolerance: Readonly<Record<Column, string>> = {
  turns_mean: "2",
  tokens_mean: "50",
  duration_mean: "500",
  reward_mean: "0.1",
  logprob_mean: "0.1",
};

/**
 * `<metric> [higher|lower] <tolerance>`: the tolerance in the units of the metric, or with % in points where that is a share. Higher or lower
 * says which way is better where it is not the metric's own way. @throws HarnessError badInput
 */
export function parseGuardrail(text: string): GuardrailAsked {
  const [, metric, better, number, percent] =
    /^\s*(\S+)\s+(?:(higher|lower)\s+)?(\d+(?:\.\d+)?|\.\d+)\s*(%?)\s*$/.exec(text) ?? [];
  if (metric === undefined || number === undefined)
    throw new HarnessError(
      "badInput",
      `--guardrail ${JSON.stringify(text)}: write a metric and how much worse it may be, such as 'solve_rate 0.02', 'echo-trap 2%' or 'reward_mean higher 0.1'.`,
    );
  if (percent === "%" && isColumn(metric))
    throw new HarnessError(
      "badInput",
      `--guardrail ${JSON.stringify(text)}: ${metric} is not a share, so it takes no percentage; write how much ${measuredBetter(metric) === "higher" ? "lower" : "higher"} the mean may be, such as '${metric} ${exampleTolerance[metric]}'.`,
    );
  const tolerance = Number(number) / (percent === "%" ? 100 : 1);
  return { metric, tolerance, ...(better === "higher" || better === "lower" ? { better } : {}) };
}
