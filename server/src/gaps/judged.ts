import { clusteredShare, newcombe, wilson, type Proportion } from "../statistics/intervals/proportions.ts";

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
  /** How much more often it holds for positives than for negatives, at the lower end of the 95 % interval; null without a side. */
  readonly surely: number | null;
}

/** Judges a draft on rollouts that it was not induced on. */
export function judge(rollouts: readonly Unseen[]): Judged {
  const sided = rollouts.filter(({ side }) => side !== null);
  const positive = sided.filter(({ side }) => side === "positive");
  const isHeld = ({ held }: Unseen): boolean => held;
  const [inPositive, inNegative] = [
    overItems(positive, isHeld),
    overItems(
      sided.filter(({ side }) => side === "negative"),
      isHeld,
    ),
  ];
  const precision = overItems(sided.filter(isHeld), ({ side }) => side === "positive");
  return {
    support: rollouts.filter(isHeld).length,
    precision: withInterval(precision),
    recall: withInterval(inPositive),
    base: sided.length === 0 ? 0 : positive.length / sided.length,
    surely: inPositive === null || inNegative === null ? null : newcombe(inNegative, inPositive).low,
  };
}

export const withInterval = (share: Proportion | null): Share | null =>
  share === null ? null : { value: share.share, ...wilson(share) };

/** The share of the rollouts that are hits, with items as clusters; null without rollouts. */
export function overItems<T extends { readonly item: string }>(
  rollouts: readonly T[],
  isHit: (rollout: T) => boolean,
): Proportion | null {
  const items = new Map<string, { labelled: number; decided: number }>();
  for (const rollout of rollouts) {
    const item = items.get(rollout.item) ?? { labelled: 0, decided: 0 };
    items.set(rollout.item, item);
    item.decided += 1;
    if (isHit(rollout)) item.labelled += 1;
  }
  return clusteredShare([...items.values()]);
}

/** Whether a draft tells more than chance on rollouts that it was not induced on. */
export const holdsUp = ({ surely }: Judged): boolean => surely !== null && surely > 0;
