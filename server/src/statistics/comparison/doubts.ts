import type { Doubt } from "../../../../shared/ledger/measures.ts";
import { assertNever } from "../../base/errors.ts";

/** What a reader has to know before trusting an interval, in one sentence. */
export function doubtText(doubt: Doubt): string {
  switch (doubt) {
    case "one_item":
      return "One item only: nothing is known about how items differ.";
    case "too_few_items":
      return "Too few items: below 20 no interval holds its level.";
    case "few_differ":
      return "Too few items differ from the rest; the interval is an exact bound.";
    case "no_spread":
      return "Every item has the same value; the interval is an exact bound.";
    case "one_seed":
      return "One seed each: how much another training run would differ is not known.";
    case "seeds_not_told":
      return "No seed has enough samples of an item for this metric by itself: the interval is over items only.";
    case "few_seeds":
      return "Very few seeds: the spread between training runs is hardly known.";
    case "unknown_matter":
      return "The unknown outcomes could change the verdict.";
    default:
      return assertNever(doubt);
  }
}
