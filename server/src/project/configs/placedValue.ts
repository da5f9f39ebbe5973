import type { Scalar } from "../../../../shared/spec/common.ts";
import { HarnessError } from "../../base/errors.ts";

/** A value of a text, and where it is written: a change replaces these characters and no other. */
export interface PlacedValue {
  readonly path: string;
  readonly value: Scalar;
  readonly start: number;
  readonly end: number;
}

/** How the values of one kind of text are found and written. */
export interface PlacedFormat {
  /** Never throws; what cannot be placed is left out. Of a path that is there twice the last one counts. */
  readonly values: (text: string) => readonly PlacedValue[];
  /** A value as it is written in place of `old`. */
  readonly spell: (value: Scalar, old: string) => string;
}

/** A number, a switch or a text, as Hydra, argparse and TOML read a bare word. */
export function scalarOf(word: string): Scalar {
  if (/^[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?$/.test(word)) return Number(word);
  if (/^(true|false)$/i.test(word)) return word.toLowerCase() === "true";
  return /^(null|none|~)$/i.test(word) ? null : word;
}

/** A number, a switch or null as a word; with an exponent, or a capital, where the old word has one. */
export function wordOf(value: number | boolean | null, old: string): string {
  if (typeof value === "number")
    return /e/i.test(old) && value !== 0 ? value.toExponential().replace("e+", "e") : String(value);
  const word = value === null ? (/none/i.test(old) ? "none" : "null") : String(value);
  return /^[A-Z]/.test(old) ? word.charAt(0).toUpperCase() + word.slice(1) : word;
}

/**
 * Sets one value and leaves every other character as it is.
 * @throws HarnessError badInput when the path is missing, does not hold `from`, or cannot hold `to`
 */
export function setPlaced(
  format: PlacedFormat,
  text: string,
  { path, from, to }: { readonly path: string; readonly from: Scalar; readonly to: Scalar },
): string {
  const place = lastOf(format.values(text), path);
  if (place === undefined)
    throw new HarnessError("badInput", `There is no value at ${path}; check the path.`);
  if (!Object.is(place.value, from))
    throw new HarnessError(
      "badInput",
      `${path} is ${JSON.stringify(place.value)}, not ${JSON.stringify(from)}; the edit expects other content.`,
    );
  if (Object.is(from, to)) return text;
  const old = text.slice(place.start, place.end);
  const edited = text.slice(0, place.start) + format.spell(to, old) + text.slice(place.end);
  const isExact =
    Object.is(lastOf(format.values(edited), path)?.value, to) &&
    framework(format, edited) === framework(format, text);
  if (isExact) return edited;
  throw new HarnessError(
    "badInput",
    `${path} cannot be set to ${JSON.stringify(to)} in this file; edit it by hand.`,
  );
}

const lastOf = (values: readonly PlacedValue[], path: string): PlacedValue | undefined =>
  values.findLast((one) => one.path === path);

/** The text without its values: what two versions have in common that differ in values alone. */
export function framework(format: PlacedFormat, text: string): string {
  const places = [...format.values(text)].sort((a, b) => a.start - b.start);
  let [made, at] = ["", 0];
  for (const { path, start, end } of places) {
    if (start < at) continue;
    made += `${text.slice(at, start)}\0${path}\0`;
    at = end;
  }
  return made + text.slice(at);
}
