import * as numbers from "../../../shared/words/numbers.ts";

/** A number and its unit stay on one line. */
const unbroken = (text: string): string => text.replaceAll(" ", "\u00A0");

export const countText = numbers.count;
export const countedText = numbers.counted;
export const valueText = numbers.value;
export const figureText = numbers.figure;
export const pText = numbers.pValue;
export const dateTimeText = numbers.dateTime;

export const percentText = (share: number): string => unbroken(numbers.percent(share));
export const setPercentText = (share: number): string => unbroken(numbers.setPercent(share));
export const percentIntervalText = numbers.percentInterval;
export const marginText = (share: number, low: number, high: number): string => {
  const text = numbers.percentMargin(share, low, high);
  return text.startsWith("±") ? unbroken(text) : text;
};

/** A difference of two shares: `+4.4 points`. */
export const pointsText = (difference: number): string => unbroken(numbers.points(difference));
/** The same without its unit, where a heading says it. */
export const signedPointsText = numbers.signedPoints;
export const pointsIntervalText = numbers.pointsInterval;

export const durationText = (seconds: number): string => unbroken(numbers.duration(seconds));
export const moneyText = (cost: Parameters<typeof numbers.money>[0]): string => unbroken(numbers.money(cost));
