/**
 * How a number is said to a person, on the command line, in the editor and in its views. One rule for each kind:
 * - A measured share has one decimal. It is 100 % only when it is exactly all and 0 % only when it is exactly none.
 * - A number that somebody set, such as a confidence or a threshold, is said as it was set.
 * - A difference of shares is in points, with its sign and one decimal; only an exact 0 has no sign.
 * - The ends of an interval are estimates: one decimal, and the unit stands with the value before them.
 * - Time, size, money and counts below.
 * A minus is U+2212. Nothing here depends on the locale of the machine; only a date is in the reader's time zone.
 */

const minus = (text: string): string => text.replace("-", "−");

/** 0.3816 as `38.2 %`, 1 as `100 %`, 0.9999 as `> 99.9 %`, 0.0001 as `< 0.1 %`. */
export function percent(share: number): string {
  if (share === 0 || share === 1) return `${100 * share} %`;
  if (share > 0 && share < 0.0005) return "< 0.1 %";
  if (share < 1 && share >= 0.9995) return "> 99.9 %";
  return `${oneDecimal(100 * share)} %`;
}

/** A share that somebody set: 0.95 as `95 %`, 0.9833 as `98.33 %`. */
export const setPercent = (share: number): string => `${minus(String(Math.round(share * 1e4) / 100))} %`;

/** A part of a whole, `none` where the whole is empty. */
export const percentOf = (part: number, whole: number): string =>
  whole === 0 ? "none" : percent(part / whole);

/** `[33.0, 39.5]`: the ends of an interval of shares, in percent. */
export const percentInterval = (low: number, high: number): string =>
  `[${oneDecimal(100 * low)}, ${oneDecimal(100 * high)}]`;

/** `36.3 % [33.0, 39.5]`. */
export const percentWithin = (share: number, low: number, high: number): string =>
  `${percent(share)} ${percentInterval(low, high)}`;

/** `± 3.2` where the interval reaches as far to both sides, to the last digit shown, and `[33.0, 39.6]` where not. */
export function percentMargin(share: number, low: number, high: number): string {
  const [below, above] = [oneDecimal(100 * (share - low)), oneDecimal(100 * (high - share))];
  return below === above ? `± ${above}` : percentInterval(low, high);
}

/** A difference of shares: 0.047 as `+4.7 points`. */
export const points = (difference: number): string => `${signed(100 * difference)} points`;

/** A difference of shares where the side is known: 0.047 as `4.7 points`. */
export const pointsApart = (difference: number): string => `${oneDecimal(Math.abs(100 * difference))} points`;

/** How far a share lies from another one, and on which side: `4.2 points above`, `as high` where the difference is 0. */
export function pointsBeside(share: number, other: number): string {
  const apart = pointsApart(share - other);
  return apart === pointsApart(0) ? "as high" : `${apart} ${share > other ? "above" : "below"}`;
}

/** `[+2.6, +6.3]`: the ends of an interval of a difference, in points. */
export const pointsInterval = (low: number, high: number): string =>
  `[${signed(100 * low)}, ${signed(100 * high)}]`;

/** A difference of shares in points where the unit stands beside it: 0.044 as `+4.4`. */
export const signedPoints = (difference: number): string => signed(100 * difference);

/** `+4.4 points [+2.6, +6.3]`. */
export const pointsWithin = (difference: number, low: number, high: number): string =>
  `${points(difference)} ${pointsInterval(low, high)}`;

function signed(x: number): string {
  const sign = x === 0 ? "" : x < 0 ? "−" : "+";
  return `${sign}${Math.abs(x).toFixed(1)}`;
}

/** A share that rounds to nothing has no sign. */
const oneDecimal = (x: number): string => minus(x.toFixed(1)).replace(/^−(?=0\.0$)/, "");

/** A reward, a component or a coefficient: three decimals where they say something. */
export const value = (x: number): string => minus(String(Number(x.toFixed(3)) || 0));

/** A number of no known kind, with four digits where it is not whole. */
export const figure = (x: number): string =>
  minus(Number.isInteger(x) ? String(x) : String(Number(x.toPrecision(4))));

/** What another tool measured and decided by: six digits, since nobody here knows which of them matter. */
export const measuredElsewhere = (x: number): string =>
  minus(Number.isInteger(x) || Math.abs(x) >= 1e6 ? String(x) : String(Number(x.toPrecision(6))));

/** The p value of a test, with two digits. */
export const pValue = (p: number): string => p.toPrecision(2);

/** Made when first needed: it took nearly half of what loading the extension takes. */
let whole: Intl.NumberFormat | undefined;

/** A count with its thousands apart: 12,345. */
export const count = (n: number): string =>
  // The tables of a locale take longer to load than a whole view to draw.
  Number.isSafeInteger(n)
    ? String(n).replaceAll(/\B(?=(?:\d{3})+$)/g, ",")
    : (whole ??= new Intl.NumberFormat("en-US")).format(n);

/** `1 group`, `2 groups`, `1,000 successes`. */
export const counted = (n: number, one: string, many = `${one}s`): string =>
  `${count(n)} ${plural(n, one, many)}`;

/** The word alone, for one or for more: `is` or `are`. */
export const plural = (n: number, one: string, many = `${one}s`): string => (n === 1 ? one : many);

/** Seconds as a person reads them: 350 ms, 4.2 s, 42 s, 3 min 05 s, 2 h 10 min. */
export function duration(seconds: number): string {
  const s = Math.max(0, seconds);
  if (s === 0) return "0 s";
  if (s < 0.9995) return `${Math.round(1000 * s)} ms`;
  if (s < 9.95) return `${Number(s.toFixed(1))} s`;
  const wholeSeconds = Math.round(s);
  if (wholeSeconds < 60) return `${wholeSeconds} s`;
  if (wholeSeconds < 3600) return inTwo(wholeSeconds, 60, "min", "s");
  return inTwo(Math.round(s / 60), 60, "h", "min");
}

const inTwo = (n: number, by: number, large: string, small: string): string =>
  `${Math.floor(n / by)} ${large} ${String(n % by).padStart(2, "0")} ${small}`;

/** What was used of something that is paid for or limited, as hours or money: `1.50`. */
export const amount = (used: number): string => used.toFixed(2);

/** Hours that a machine or a budget is charged with: `1.50 h`. */
export const hours = (h: number): string => `${amount(h)} h`;

/** `1.23 EUR`. */
export const money = (cost: { readonly amount: number; readonly currency: string }): string =>
  `${amount(cost.amount)} ${cost.currency}`.trimEnd();

/** Bytes of a file or a transfer, in binary units: 512 bytes, 1.5 KiB, 64 MiB. */
export function size(bytes: number): string {
  for (const [unit, of] of [
    ["GiB", 1024 ** 3],
    ["MiB", 1024 ** 2],
    ["KiB", 1024],
  ] as const)
    if (bytes >= of) return `${Number((bytes / of).toFixed(1))} ${unit}`;
  return counted(bytes, "byte");
}

/** Bytes beside a limit that somebody set in gigabytes: `12.3 GB`. */
export const gigabytes = (bytes: number): string => `${Number((bytes / 1e9).toPrecision(3))} GB`;

/** `2026-01-03 12:00`, in the time zone of the reader; "" for what is no time. */
export function dateTime(at: string | number): string {
  const date = new Date(at);
  if (Number.isNaN(date.getTime())) return "";
  const two = (n: number): string => String(n).padStart(2, "0");
  return `${date.getFullYear()}-${two(date.getMonth() + 1)}-${two(date.getDate())} ${two(date.getHours())}:${two(date.getMinutes())}`;
}

/** How long ago something was, from two times in milliseconds: 12 s ago, 5 min ago, 2 h ago, 3 days ago. */
export function age(at: number, now: number): string {
  const seconds = Math.max(0, Math.round((now - at) / 1000));
  if (seconds < 90) return `${seconds} s ago`;
  const minutes = Math.round(seconds / 60);
  if (minutes < 90) return `${minutes} min ago`;
  const full = Math.round(minutes / 60);
  return full < 48 ? `${full} h ago` : `${Math.round(full / 24)} days ago`;
}
