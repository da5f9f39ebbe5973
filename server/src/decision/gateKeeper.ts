import type { ProjectSpec } from "../../../shared/spec/project.ts";

export interface GateState {
  readonly gates: ProjectSpec["gates"];
  /** Versions of this domain that were decided before. */
  readonly versionsDecided: number;
  readonly failuresInARow: number;
}

/** Who must answer before a version is trained: the rule in force, or a human, and why. */
export type GateKeeper = { readonly who: "rule" } | { readonly who: "human"; readonly why: string };

/** Training is paid and irreversible: a human is asked for the first versions, when told to, and after failures in a row. */
export function gateKeeper({ gates, versionsDecided, failuresInARow }: GateState): GateKeeper {
  if (gates.autonomy === "human_gated") return { who: "human", why: "the project is human-gated" };
  if (versionsDecided < gates.firstVersionsGated)
    return {
      who: "human",
      why: `the first ${gates.firstVersionsGated} versions of a domain wait for a human, and ${versionsDecided === 1 ? "1 has" : `${versionsDecided} have`} been decided so far`,
    };
  if (failuresInARow >= gates.escalateAfterFailures)
    return { who: "human", why: `${failuresInARow} versions in a row were not kept` };
  return { who: "rule" };
}
