import { decisionLooks, type ShownDecision } from "./decisions.ts";

/** How far a version was tested when it was decided: on its first seed only, or on further seeds as well. */
export const stages = ["one_seed", "replicated"] as const;
export type StageWord = (typeof stages)[number];

export interface StagedDecision {
  readonly decision: ShownDecision;
  /** Null or absent where it is not known, or where nothing was tested. */
  readonly stage?: StageWord | null | undefined;
  /** What the ledger says of the version that nobody who is trusted here signed. */
  readonly claims?: readonly string[] | undefined;
  /** Its gain may be a shortcut, and no person has approved it. */
  readonly held?: true | undefined;
}

/**
 * The word of a decision beside a score: `keep`, or `keep (one seed)` for a version that no further seed has confirmed, or
 * `keep (partly a claim)` where not all of it is signed, or `keep (held)` where a person has to look at it first; as `became`:
 * `kept (one seed)`.
 */
export function decisionText(version: StagedDecision, form: "word" | "became" = "word"): string {
  const said = decisionLooks[version.decision][form];
  const but = [
    ...(isUnconfirmed(version) ? ["one seed"] : []),
    ...(version.held === true ? ["held"] : []),
    ...((version.claims ?? []).length > 0 ? ["partly a claim"] : []),
  ];
  return but.length === 0 ? said : `${said} (${but.join(", ")})`;
}

/** Whether a version was kept for what its first seed showed. */
export const isUnconfirmed = ({ decision, stage }: StagedDecision): boolean =>
  stage === "one_seed" && (decision === "keep" || decision === "merge");
