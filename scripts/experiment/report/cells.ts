import { table as tableLines } from "../../simulation/tableText.ts";

/** A table as a page has it: its heads, and its rows. */
export const table = (...of: Parameters<typeof tableLines>): string => tableLines(...of).join("\n");
/** A share in percent, or a dash where there is none. */
export const percent = (value: number | null): string => (value === null ? "–" : (100 * value).toFixed(1));
/** A difference of shares in points, with its sign. */
export const points = (value: number): string => {
  const text = Math.abs(100 * value).toFixed(1);
  return `${value >= 0 || Number(text) === 0 ? "+" : "−"}${text}`;
};
/** The ends of an interval of a difference, in points. */
export const bounds = ({ low, high }: { readonly low: number; readonly high: number }): string =>
  `[${points(low)}, ${points(high)}]`;
