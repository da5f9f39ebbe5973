import { logGamma, solveIncreasing } from "../distributions/gamma.ts";
import { normalQuantile } from "../../../../shared/model/normalQuantile.ts";
import { normalCdf } from "../distributions/normal.ts";
import { known, refuse, type Answer } from "../intervals/refusal.ts";
import { studentQuantile } from "../distributions/student.ts";

export interface PowerOptions {
  /** Of the two-sided test, e.g. 0.95. */
  readonly confidence: number;
  /** Chance to find the effect, e.g. 0.8. */
  readonly power: number;
}

/** Nothing that takes more items than this can be told. */
const mostItems = 1e7;

/** Power of the two-sided paired t test: the non-central t distribution, integrated over the spread that n items show. */
export function pairedPower(
  { effect, sd, n }: { effect: number; sd: number; n: number },
  confidence: number,
): number {
  return powerBeyond(n, (Math.abs(effect) / sd) * Math.sqrt(n), criticalOf(n, confidence));
}

const criticalOf = (n: number, confidence: number): number =>
  studentQuantile(1 - (1 - confidence) / 2, n - 1);

/** P(|T| > critical) of the non-central t with n − 1 degrees, by Simpson's rule over the observed spread. */
function powerBeyond(n: number, shift: number, critical: number): number {
  const degrees = n - 1;
  const width = 9 / Math.sqrt(2 * degrees);
  const [from, to] = [Math.max(1e-9, 1 - width), 1 + width];
  const steps = 200;
  const scale = Math.log(2) + (degrees / 2) * Math.log(degrees / 2) - logGamma(degrees / 2);
  let sum = 0;
  for (let i = 0; i <= steps; i++) {
    const s = from + ((to - from) * i) / steps;
    const density = Math.exp(scale + (degrees - 1) * Math.log(s) - (degrees * s * s) / 2);
    const beyond = normalCdf(shift - critical * s) + normalCdf(-shift - critical * s);
    sum += (i === 0 || i === steps ? 1 : i % 2 === 1 ? 4 : 2) * density * beyond;
  }
  return Math.min(1, (sum * (to - from)) / steps / 3);
}

/** Items with which a paired comparison finds `effect` with the given power, from the spread of the item differences. */
export function itemsForEffect(
  { effect, sd }: { effect: number; sd: number },
  { confidence, power }: PowerOptions,
): Answer<{ readonly items: number }> {
  if (effect === 0) return refuse("no_effect", "No number of items can show a difference of zero.");
  if (sd === 0) return refuse("no_spread", "The items do not differ, so their spread is not known.");
  const enough = (n: number): boolean => pairedPower({ effect, sd, n }, confidence) >= power;
  // The normal formula, with what the t distribution adds to it (Guenther 1981), is at most a few items off.
  const z = normalQuantile(1 - (1 - confidence) / 2);
  const guess = Math.ceil((((z + normalQuantile(power)) * sd) / effect) ** 2 + (z * z) / 2);
  if (guess > mostItems)
    return refuse("never_enough", `More than ${mostItems} items are needed: the effect is too small.`);
  let items = Math.max(2, guess);
  while (!enough(items)) items++;
  while (items > 2 && enough(items - 1)) items--;
  return known({ items });
}

/** The shifts of the non-central t distribution that were found before: whoever looks for an effect asks for many with one n. */
const shifts = new Map<string, number>();
const mostShifts = 1000;

/** How far n items have to be shifted to be told with the given power. */
function shiftFor(n: number, { confidence, power }: PowerOptions): number {
  const key = `${n} ${confidence} ${power}`;
  const before = shifts.get(key);
  if (before !== undefined) return before;
  const critical = criticalOf(n, confidence);
  let high = critical;
  while (powerBeyond(n, high, critical) < power) high *= 2;
  const shift = solveIncreasing((x) => powerBeyond(n, x, critical), power, { low: 0, high });
  if (shifts.size >= mostShifts) shifts.clear();
  shifts.set(key, shift);
  return shift;
}

/** The smallest difference that n items find with the given power. */
export function detectableEffect(
  { sd, n }: { sd: number; n: number },
  options: PowerOptions,
): Answer<{ readonly effect: number }> {
  if (n < 2) return refuse("one_item", "One item says nothing about how items differ.");
  if (sd === 0) return refuse("no_spread", "The items do not differ, so their spread is not known.");
  return known({ effect: (shiftFor(n, options) * sd) / Math.sqrt(n) });
}

/**
 * Seeds of each version with which `effect` is found over items and seeds: (z₁₋α⸝₂ + z_power)² · (sd² / n + 2 · seedSd² / S)
 * ≤ effect². Refused when the items alone are too noisy for it, however many seeds there are.
 */
export function seedsForEffect(
  { effect, sd, n, seedSd }: { effect: number; sd: number; n: number; seedSd: number },
  { confidence, power }: PowerOptions,
): Answer<{ readonly seeds: number }> {
  if (effect === 0) return refuse("no_effect", "No number of seeds can show a difference of zero.");
  const z = normalQuantile(1 - (1 - confidence) / 2) + normalQuantile(power);
  const room = (effect / z) ** 2 - (sd * sd) / n;
  if (room <= 0)
    return refuse("never_enough", `With ${n} items no number of seeds is enough; add items first.`);
  return known({ seeds: Math.max(2, Math.ceil((2 * seedSd * seedSd) / room - 1e-9)) });
}
