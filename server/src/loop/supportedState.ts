import { HarnessError } from "../base/errors.ts";
import { findVersion, type Lineage } from "../lineage/graph.ts";
import type { LoopState } from "./state.ts";
import { withStandingChampion } from "./standingChampion.ts";

/**
 * The state as the ledger supports it. Its champion was not reverted, whoever did it and when, and waits for nobody to look at
 * it. The state lies on the disk where anybody may edit it; what it names as champion, baseline and base the ledger must have
 * decided to be that.
 * @throws HarnessError badInput for a state that names another version
 */
export function supportedState(state: LoopState, lineage: Lineage): LoopState {
  const now = withStandingChampion(state, lineage);
  const { baseVersion, baseline, champion } = now;
  refuseUnsupported(lineage, baseVersion, { role: "the base policy", decision: "base" });
  refuseUnsupported(lineage, baseline, { role: "the baseline", decision: "keep" });
  refuseUnsupported(lineage, champion, { role: "the version to go on from", decision: "keep" });
  return now;
}

function refuseUnsupported(
  lineage: Lineage,
  name: string | null,
  { role, decision }: { readonly role: string; readonly decision: string },
): void {
  if (name === null) return;
  const version = findVersion(lineage, name);
  const says = ((): string | null => {
    if (version === undefined) return "has no such version";
    if (version.standing === "claim") return "holds only claims about it that nobody you trust signed";
    if (version.decision === undefined) return "has no decision about it";
    return version.decision.decision === decision
      ? null
      : `says it was decided otherwise (${version.decision.decision})`;
  })();
  if (says !== null)
    throw new HarnessError(
      "badInput",
      `The evolution's state names ${name} as ${role}, but the ledger ${says}; run \`evotrainer evolve --restart\` to begin anew from the newest commit.`,
    );
}
