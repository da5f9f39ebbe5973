import * as z from "zod";
import type { ShownDecision } from "../words/decisions.ts";
import { percent } from "../words/numbers.ts";

/** Why the numbers of a version are not to be trusted, and what its score counts as. */
export const Distrust = z.object({
  labels: z
    .array(z.object({ name: z.string(), labelled: z.int(), rollouts: z.int() }))
    .describe(
      "The labels that make it invalid, the one on most rollouts first; none where it is invalid for another reason.",
    ),
  counts: z
    .number()
    .nullable()
    .describe(
      "What its score counts as: without the leak where it was evaluated again, else with the labelled rollouts as failures; null where that is not known.",
    ),
  by: z.enum(["reevaluated", "counted"]).describe("How that was made."),
});
export type Distrust = z.infer<typeof Distrust>;

type CountedLabel = {
  readonly name: string;
  readonly labelled: number;
  readonly rollouts: number;
  readonly invalidates: boolean;
};

/** The labels that make a version invalid, whatever its score is. */
export const invalidating = <L extends Pick<CountedLabel, "labelled" | "invalidates">>(
  labels: readonly L[],
): L[] => labels.filter((l) => l.invalidates && l.labelled > 0);

/**
 * Whether a version is not to be trusted, where its labels are known: it was decided to be invalid, or one of its labels says
 * so before anybody has decided. Lists that know no more than the decision ask `isTrusted`.
 */
export function distrustOf(version: {
  readonly decision: ShownDecision;
  readonly labels: readonly CountedLabel[];
  readonly cleanScore: number | null;
  readonly cleanBy?: Distrust["by"] | undefined;
}): Distrust | undefined {
  const found = invalidating(version.labels);
  if (version.decision !== "invalid" && found.length === 0) return undefined;
  return {
    labels: found
      .map(({ name, labelled, rollouts }) => ({ name, labelled, rollouts }))
      .sort((a, b) => b.labelled - a.labelled),
    counts: version.cleanScore,
    by: version.cleanBy ?? "counted",
  };
}

/** `Quarantined: 480 of 480 rollouts carry history-leak; the score counts as 0 %.` */
export function distrustText({ labels, counts, by }: Distrust, reason: string): string {
  const score =
    counts === null
      ? ""
      : by === "reevaluated"
        ? `; evaluated again without it, the version scores ${percent(counts)}`
        : `; the score counts as ${percent(counts)}`;
  if (labels.length === 0) return reason === "" ? "This version is not valid." : reason;
  const what = labels.map(({ name, labelled, rollouts }, i) =>
    i === 0 ? `${labelled} of ${rollouts} rollouts carry ${name}` : `${labelled} carry ${name}`,
  );
  return `Quarantined: ${what.join(", ")}${score}.`;
}
