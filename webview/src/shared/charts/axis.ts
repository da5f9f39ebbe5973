import { scaleLinear } from "d3";
import { element } from "../dom.ts";

/** What a length on a picture stands for. Everything that is compared in a picture shares one. */
export type Axis = {
  readonly domain: readonly [number, number];
  /** A value with its unit, as it stands under the axis. */
  readonly say: (value: number) => string;
};

/** Where a value lies on an axis, in percent of its width, from 0 to 100. */
export function placeOn({ domain: [low, high] }: Axis, value: number): number {
  if (high <= low) return 50;
  return Math.max(0, Math.min(100, (100 * (value - low)) / (high - low)));
}

/** A domain that holds all of these and zero, a little wider than they are; [-1, 1] times `least` where there are none. */
export function domainWithZero(
  values: readonly (number | null | undefined)[],
  least: number,
): [number, number] {
  const known = values.filter((v) => v !== null && v !== undefined);
  const [low, high] = [Math.min(0, ...known), Math.max(0, ...known)];
  const pad = Math.max(high - low, least) * 0.08;
  return high - low < least ? [low - least, high + least] : [low - pad, high + pad];
}

/** An axis of differences of shares, in points, that holds all of these and zero. */
export const pointsAxis = (values: readonly (number | null | undefined)[]): Axis => ({
  domain: domainWithZero(values, 0.02),
  say: (v) => `${v > 0 ? "+" : v < 0 ? "−" : ""}${Math.abs(Math.round(1000 * v) / 10)}`,
});

/** The ticks under a picture with their values in words: few, so that they are told apart at 300 pixels. */
export function ticksOf(axis: Axis, wanted = 4): HTMLElement {
  const line = element("div", "axis-ticks");
  line.setAttribute("aria-hidden", "true");
  const ticks = scaleLinear(axis.domain, [0, 100]).ticks(wanted);
  for (const tick of ticks) {
    const mark = element("span", tick === 0 ? "tick zero" : "tick", axis.say(tick));
    mark.style.setProperty("--at", `${placeOn(axis, tick)}%`);
    line.append(mark);
  }
  return line;
}

/** One part of a bar; parts below zero go to the left. */
export type BarPart = { readonly name: string; readonly value: number };

/** The domain that the parts of all bars reach, with zero. */
export function reachOf(bars: readonly { readonly parts: readonly BarPart[] }[]): [number, number] {
  const sums = bars.map(({ parts }) => ({
    low: sumOf(parts.filter(({ value }) => value < 0)),
    high: sumOf(parts.filter(({ value }) => value > 0)),
  }));
  const [low, high] = [
    Math.min(0, ...sums.map((sum) => sum.low)),
    Math.max(0, ...sums.map((sum) => sum.high)),
  ];
  return low === high ? [low, low + 1] : [low, high];
}

const sumOf = (parts: readonly BarPart[]): number => parts.reduce((sum, { value }) => sum + value, 0);

/** How many of something lie in bins of one width from `min` to `max`; one bin where all are the same. */
export type Binned = { readonly min: number; readonly max: number; readonly bins: readonly number[] };

/** The values of all rows from the lowest to the highest. */
export function rangeOf(rows: readonly { readonly binned: Binned }[]): [number, number] {
  const low = Math.min(...rows.map(({ binned }) => binned.min));
  const high = Math.max(...rows.map(({ binned }) => binned.max));
  return low < high ? [low, high] : [low - 0.5, high + 0.5];
}
