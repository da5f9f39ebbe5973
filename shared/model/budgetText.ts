import { amount } from "../words/numbers.ts";

interface Limited {
  readonly taken: number;
  readonly limit: number;
}

/** What is taken of each limit of a budget, hours and money, e.g. `1.50 of 8 h` and `3.20 of 20 EUR`. */
export const budgetTexts = (
  { hours, cost }: { readonly hours?: Limited | null; readonly cost?: Limited | null },
  currency = "",
): string[] => [
  ...(hours == null ? [] : [limitedText(hours, "h")]),
  ...(cost == null ? [] : [limitedText(cost, currency)]),
];

const limitedText = ({ taken, limit }: Limited, unit: string): string =>
  `${amount(taken)} of ${limit} ${unit}`.trimEnd();
