import type { LabelCount } from "../../../shared/ledger/measures.ts";
import { alertOf, labelShare, type LabelTally } from "../../../shared/model/labelShare.ts";
import { wilson } from "../statistics/intervals/proportions.ts";

type Threshold = Readonly<{ above: number; critical?: number | undefined }>;

/**
 * Which threshold of its alert a label is above: its 95 % interval (Wilson) has to lie above it, with the undecided ones
 * counted as clear. One of three rollouts is a third of them, and no reason to say of the version that a third are so.
 */
export function alertOfTally(
  tally: LabelTally,
  alert: Threshold | undefined,
): Pick<LabelCount, "alert" | "tooFew"> {
  const share = labelShare(tally);
  const [least, most] = share.bounds;
  const { low } = wilson({ share: least, size: share.rollouts });
  const told = alertOf({ ...share, bounds: [low, most] }, alert);
  return told === null && alertOf(share, alert) !== null ? { alert: null, tooFew: true } : { alert: told };
}
