import type { LineageStanding } from "../../../shared/protocol/views/lineage.ts";
import type { WaitingGate } from "../../../shared/protocol/views/proposals.ts";

/** The versions that wait for a review, each once, and those of them that a rule would answer. */
export function reviewsOf(
  gates: readonly WaitingGate[],
): Required<Pick<LineageStanding, "waiting" | "byRule">> {
  // The other gates are of the evolution, and have no proposal that could be opened.
  const asked = gates.filter(({ gate }) => gate === "design" || gate === "backtest");
  const waiting = [...new Set(asked.map(({ version }) => version))];
  return {
    waiting,
    byRule: waiting.filter((name) => asked.every(({ version, who }) => version !== name || who === "rule")),
  };
}
