import { createHash } from "node:crypto";
import type { MeasuredByPeople } from "../../../../shared/protocol/results/people.ts";
import type { PeoplePart } from "../../../../shared/words/people.ts";
import { wilson } from "../../statistics/intervals/proportions.ts";

/** What people answered about rollouts with a label and about rollouts without it. */
export type Answered = Pick<MeasuredByPeople, "labelled" | "clear">;

/** How many rollouts have the label, and how many do not: of the versions that people answered about. */
export interface Sizes {
  readonly labelled: number;
  readonly clear: number;
}

export const nobodyAsked: Answered = { labelled: { asked: 0, right: 0 }, clear: { asked: 0, missed: 0 } };

/**
 * Precision and recall of a label with 95 % intervals, as if the rollouts that people answered about had been drawn at random
 * among those with the label and among those without it. Each side counts with its size, because people are asked far more
 * often about rollouts with the label: without this, what is missed would hardly show. Precision has Wilson's interval. That
 * of recall runs from the lower end of precision with the upper end of what is missed to the other two ends, so that it is
 * rather too wide than too narrow.
 */
export function measuredByPeople({ labelled, clear }: Answered, sizes: Sizes): MeasuredByPeople {
  const right = { share: labelled.right / labelled.asked, size: labelled.asked };
  const missed = { share: clear.missed / clear.asked, size: clear.asked };
  return {
    labelled,
    clear,
    precision: labelled.asked === 0 ? null : { value: right.share, ...wilson(right) },
    recall: recallOf(right, missed, sizes),
  };
}

type Share = { readonly share: number; readonly size: number };

function recallOf(right: Share, missed: Share, sizes: Sizes): MeasuredByPeople["recall"] {
  // A side without rollouts need not be asked about.
  const isKnown = (share: Share, size: number): boolean => size === 0 || share.size > 0;
  if (!isKnown(right, sizes.labelled) || !isKnown(missed, sizes.clear)) return null;
  const found = (share: number): number => (sizes.labelled === 0 ? 0 : sizes.labelled * share);
  const lost = (share: number): number => (sizes.clear === 0 ? 0 : sizes.clear * share);
  const recall = (ofLabelled: number, ofClear: number): number =>
    found(ofLabelled) / (found(ofLabelled) + lost(ofClear));
  const value = recall(right.share, missed.share);
  // Nobody has seen a rollout that should have it.
  if (Number.isNaN(value)) return null;
  const [inRight, inMissed] = [wilson(right), wilson(missed)];
  const end = (ofLabelled: number, ofClear: number): number => {
    const at = recall(ofLabelled, ofClear);
    return Number.isNaN(at) ? value : at;
  };
  return { value, low: end(inRight.low, inMissed.high), high: end(inRight.high, inMissed.low) };
}

/**
 * The part of the items that a rollout belongs to: half of the items by the hash of their names, whatever their version. An
 * item with a rollout that is an example of the diagnostic belongs to tuning, because its author knew it.
 */
export function partOf(item: string, examples: ReadonlySet<string>): PeoplePart {
  if (examples.has(item)) return "tuning";
  return (createHash("sha256").update(`held out\n${item}`).digest()[0] ?? 0) < 128 ? "heldOut" : "tuning";
}
