import type { ArchiveFacts } from "../../../../shared/protocol/archiveFacts.ts";

/** A share as it is shown: 3.1 %, and never 0 % or 100 % where that is not exact. */
export function percent(share: number): string {
  const shown = Math.round(share * 1000) / 10;
  if (shown === 0 && share > 0) return "< 0.1 %";
  if (shown === 100 && share < 1) return "> 99.9 %";
  return `${shown} %`;
}

/** A count with its thousands apart. */
export const count = (n: number): string => n.toLocaleString("en-US");

const number = (n: number): string => (Number.isInteger(n) ? count(n) : String(Number(n.toPrecision(4))));

type Field = ArchiveFacts["fields"][string];
type Spread = NonNullable<Field["spread"]>;

export const spread = ({ min, median, max }: Spread): string =>
  `${number(min)} … ${number(median)} … ${number(max)}`;

/** One line about a variable in the archive, for a list. */
export function fieldLine({ present, values, spread: numbers }: Field): string {
  const rest = numbers
    ? spread(numbers)
    : values
        ?.slice(0, 3)
        .map(({ value }) => value)
        .join(", ");
  return `in ${percent(present)}${rest ? `: ${rest}` : ""}`;
}

/** How long ago something was read. */
export function age(at: number, now: number): string {
  const seconds = Math.max(0, Math.round((now - at) / 1000));
  if (seconds < 90) return `${seconds} s ago`;
  const minutes = Math.round(seconds / 60);
  return minutes < 90 ? `${minutes} min ago` : `${Math.round(minutes / 60)} h ago`;
}
