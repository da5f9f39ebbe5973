import { points, pointsApart, pointsInterval } from "../../../shared/words/numbers.ts";

/** A version that takes a kept edit out of its parent, and what the test of equivalence says of the two. */
export interface Subtraction {
  /** The version whose edit is taken out, and what that edit was. */
  readonly takesOut: string;
  readonly edit: string;
  /** What may be lost at most, as a share. */
  readonly margin: number;
  readonly verdict: "not_needed" | "needed" | "cannot_tell";
  /** With the edit − without it, as `equivalent` gives it; null where the two have no item in common. */
  readonly comparison: { readonly difference: number; readonly low: number; readonly high: number } | null;
  /** Seeds of each that would tell; null where no number would. */
  readonly seedsNeeded: number | null;
}

export interface SubtractionVerdict {
  readonly decision: "keep" | "reject";
  readonly reason: string;
}

/** What is not needed goes; what is needed, or may be, stays. */
export function decideSubtraction(subtraction: Subtraction): SubtractionVerdict {
  const { takesOut, edit, margin, verdict, comparison, seedsNeeded } = subtraction;
  const what = `${takesOut} (${edit})`;
  if (comparison === null)
    return {
      decision: "reject",
      reason: `Nobody can tell whether ${what} is needed: no item has a known outcome both with and without it.`,
    };
  // Of the version that is decided: what is lost or gained by taking the edit out.
  const [difference, low, high] = [-comparison.difference, -comparison.high, -comparison.low];
  const change = `difference ${points(difference)} ${pointsInterval(low, high)}`;
  switch (verdict) {
    case "not_needed":
      return low > 0
        ? { decision: "keep", reason: `Better without ${what}: ${change}.` }
        : {
            decision: "keep",
            reason: `Nothing is lost without ${what}: ${change}, ${low >= -margin && high <= margin ? `within ±${pointsApart(margin)}` : `which is no loss of more than ${pointsApart(margin)}`}.`,
          };
    case "needed":
      return { decision: "reject", reason: `${what} is needed: without it, ${change}.` };
    case "cannot_tell":
      return {
        decision: "reject",
        reason: `Nobody can tell whether ${what} is needed: ${change}, and it may be taken out only if no more than ${pointsApart(margin)} are lost.${seedsNeeded === null ? "" : ` About ${seedsNeeded} seeds of each version would tell.`}`,
      };
  }
}
