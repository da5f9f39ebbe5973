import type { BaseVerdict, Verdict } from "./decide.ts";

/** What the last look at a candidate said, and how many seeds it had then. */
export interface LastLook {
  readonly verdict: "screened" | "another_seed" | "keep" | "reject";
  readonly reason: string;
  readonly seeds: number;
}

/** What the looks at a candidate did not let through is not kept, however its last comparison reads. */
export function asLookedAt(look: LastLook | null, verdict: Verdict | BaseVerdict): Verdict | BaseVerdict {
  if (look === null || verdict.decision !== "keep" || look.verdict === "keep") return verdict;
  if (look.verdict === "screened" && look.seeds === 1) return verdict;
  const missing = look.verdict === "another_seed" ? " No further seed was trained, so it is not kept." : "";
  return { decision: "reject", reason: `${look.reason}${missing}`, shownBy: [] };
}
