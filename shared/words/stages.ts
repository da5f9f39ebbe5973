import { decisionLooks, type ShownDecision } from "./decisions.ts";

/** How far a version was tested when it was decided: on its first seed only, or on further seeds as well. */
export const stages = ["one_seed", "replicated"] as const;
export type StageWord = (typeof stages)[number];

export interface StagedDecision {
  readonly decision: ShownDecision;
  /** Null or absent where it is not known, or where nothing was tested. */
  readonly stage?: StageWord | null | undefined;
}

/**
 * The word of a decision beside a score: `keep`, or `keep (one seed)` for a version that no further seed has confirmed; as
 * `became`: `kept (one seed)`.
 */
export function decisionText({ decision, stage }: StagedDecision, form: "word" | "became" = "word"): string {
  const said = decisionLooks[decision][form];
  return isUnconfirmed({ decision, stage }) ? `${said} (one seed)` : said;
}

/** Whether a version was kept for what its first seed showed. */
export const isUnconfirmed = ({ decision, stage }: StagedDecision): boolean =>
  stage === "one_seed" && (decision === "keep" || decision === "merge");
