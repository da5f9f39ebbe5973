import type { ShownDecision } from "../words/decisions.ts";

/** The labels that a version was rejected or found invalid for: those whose rollouts its decision names. */
export function decidingLabels({
  decision,
  evidence = [],
}: {
  readonly decision: ShownDecision;
  readonly evidence?: readonly { readonly label: string }[] | undefined;
}): string[] {
  if (decision !== "reject" && decision !== "invalid") return [];
  return [...new Set(evidence.map(({ label }) => label))];
}
