import { outcomeCodes } from "../evidence/queries/groupColumns.ts";
import { wilson } from "../statistics/intervals/proportions.ts";

/** What a limit on the length of rollouts would have cut. */
export interface TruncationLimit {
  readonly limit: number;
  /** Rollouts, and passed ones among them, that are longer. */
  readonly cut: number;
  readonly cutPasses: number;
  /** cutPasses / passes with its 95 % interval (Wilson); null without a passed rollout of known length. */
  readonly misTruncated: { readonly share: number; readonly low: number; readonly high: number } | null;
  /** What is beyond the limit over all rollouts, and its share of everything; null where nothing was spent. */
  readonly saved: number;
  readonly savedShare: number | null;
}

export interface TruncationReplay {
  /** Rollouts of known length, and of unknown length, which take no part. */
  readonly rollouts: number;
  readonly withoutLength: number;
  readonly passes: number;
  /** Turns or tokens of all rollouts. */
  readonly spent: number;
  readonly limits: readonly TruncationLimit[];
}

/** How many successful rollouts each limit would have cut, and what it saves. A length that equals the limit is not cut. */
export function replayTruncation(
  lengths: Float64Array,
  outcomes: Uint8Array,
  limits: readonly number[],
): TruncationReplay {
  const all = { rollouts: 0, withoutLength: 0, passes: 0, spent: 0 };
  lengths.forEach((length, i) => {
    if (Number.isNaN(length)) all.withoutLength++;
    else {
      all.rollouts++;
      all.spent += length;
      if (outcomes[i] === outcomeCodes.pass) all.passes++;
    }
  });
  const replayed = [...new Set(limits)]
    .sort((a, b) => a - b)
    .map((limit): TruncationLimit => {
      const count = { cut: 0, cutPasses: 0, saved: 0 };
      lengths.forEach((length, i) => {
        if (!(length > limit)) return;
        count.cut++;
        count.saved += length - limit;
        if (outcomes[i] === outcomeCodes.pass) count.cutPasses++;
      });
      return {
        limit,
        ...count,
        misTruncated: all.passes === 0 ? null : shareOf(count.cutPasses, all.passes),
        savedShare: all.spent === 0 ? null : count.saved / all.spent,
      };
    });
  return { ...all, limits: replayed };
}

function shareOf(
  count: number,
  size: number,
): { readonly share: number; readonly low: number; readonly high: number } {
  const share = count / size;
  return { share, ...wilson({ share, size }) };
}
