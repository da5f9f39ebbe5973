const whole = new Intl.NumberFormat("en-US");

export const countText = (n: number): string => whole.format(n);

/** A reward or component: three decimals where they say something. */
export const valueText = (x: number): string => String(Number(x.toFixed(3))).replace("-", "−");

export const percentText = (share: number): string => `${(100 * share).toFixed(1)}\u00A0%`;

/** Milliseconds as a person reads them. */
export function durationText(ms: number): string {
  if (ms < 1000) return `${Math.round(ms)}\u00A0ms`;
  if (ms < 60_000) return `${(ms / 1000).toFixed(1)}\u00A0s`;
  return `${Math.floor(ms / 60_000)}\u00A0min ${Math.round((ms % 60_000) / 1000)}\u00A0s`;
}

/** A difference of two shares: `+4.4 points`. */
export const pointsText = (x: number): string =>
  `${x < 0 ? "−" : "+"}${Math.abs(100 * x).toFixed(1)}\u00A0points`;

/** A number with as many digits as a reader can use. */
export const figureText = (x: number): string => String(Number(x.toPrecision(4))).replace("-", "−");
