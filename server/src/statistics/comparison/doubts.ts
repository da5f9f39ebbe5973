import type { Doubt } from "../../../../shared/ledger/ledger.ts";
import { assertNever } from "../../base/errors.ts";

/** What a reader has to know before trusting an interval, in one sentence. */
export function doubtText(doubt: Doubt): string {
  switch (doubt) {
    case "one_item":
      return "Only one item: nothing is known about how items differ.";
    case "too_few_items":
      return "Too few items: with fewer than 20 no interval keeps its confidence level.";
    case "few_differ":
      return "Too few items differ from the rest; the interval is an exact bound.";
    case "no_spread":
      return "Every item has the same value; the interval is an exact bound.";
    case "one_seed":
      return "One seed each: nobody knows how much another training run would differ.";
    case "seeds_not_told":
      return "No single seed has enough samples of an item for this metric: the interval is over items only.";
    case "few_seeds":
      return "Very few seeds: the spread between training runs is known only roughly.";
    case "unknown_matter":
      return "The unknown outcomes could change the verdict.";
    default:
      return assertNever(doubt);
  }
}
