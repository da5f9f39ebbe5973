import { clusteredShare, wilson } from "../statistics/intervals/proportions.ts";

/** A rollout that no draft was induced on, as one contrast sees it. */
export interface Unseen {
  readonly item: string;
  readonly side: "positive" | "negative" | null;
  readonly held: boolean;
}

/** A share with its 95 % interval over items. */
export interface Share {
  readonly value: number;
  readonly low: number;
  readonly high: number;
}

export interface Judged {
  /** Rollouts for which the draft holds, on either side or none. */
  readonly support: number;
  /** Of those on a side for which it holds, the share of positives; null where there is none. */
  readonly precision: Share | null;
  /** Of the positives, the share for which it holds; null where there is none. */
  readonly recall: Share | null;
  /** The share of positives among all on a side: the precision of a condition that always holds. */
  readonly base: number;
}

/** Judges a draft on rollouts that it was not induced on. */
export function judge(rollouts: readonly Unseen[]): Judged {
  const sided = rollouts.filter(({ side }) => side !== null);
  const positive = sided.filter(({ side }) => side === "positive");
  return {
    support: rollouts.filter(({ held }) => held).length,
    precision: shareOf(
      sided.filter(({ held }) => held),
      ({ side }) => side === "positive",
    ),
    recall: shareOf(positive, ({ held }) => held),
    base: sided.length === 0 ? 0 : positive.length / sided.length,
  };
}

function shareOf(rollouts: readonly Unseen[], isHit: (rollout: Unseen) => boolean): Share | null {
  const items = new Map<string, { labelled: number; decided: number }>();
  for (const rollout of rollouts) {
    const item = items.get(rollout.item) ?? { labelled: 0, decided: 0 };
    items.set(rollout.item, item);
    item.decided += 1;
    if (isHit(rollout)) item.labelled += 1;
  }
  const share = clusteredShare([...items.values()]);
  return share === null ? null : { value: share.share, ...wilson(share) };
}

/** Whether a draft tells more than chance on rollouts that it was not induced on. */
export const holdsUp = ({ precision, base }: Judged): boolean => precision !== null && precision.low > base;
