import { mcnemarExact } from "../distributions/exactBinomial.ts";
import { commonItems } from "../scores/pairs.ts";
import type { ItemOutcomes, OutcomeCounts } from "../scores/outcomes.ts";

/** An item whose rate of passes changed from one version to the other. */
export interface Flip {
  readonly item: string;
  readonly direction: "fixed" | "broken";
  readonly before: OutcomeCounts;
  readonly after: OutcomeCounts;
}

export interface Flips {
  /** Largest change first. */
  readonly flips: readonly Flip[];
  readonly fixed: number;
  readonly broken: number;
  readonly same: number;
  /**
   * Chance of as uneven a split into fixed and broken if nothing had changed: McNemar's exact test, with several samples
   * per item the sign test over items.
   */
  readonly p: number;
}

/** The items that pass more or less often in b than in a, among those that both know. */
export function flipsOf(a: readonly ItemOutcomes[], b: readonly ItemOutcomes[]): Flips {
  const found: { flip: Flip; change: number }[] = [];
  let same = 0;
  for (const both of commonItems(a, b)) {
    const [before, after] = [rateOf(both.a), rateOf(both.b)];
    if (before === null || after === null) continue;
    if (before === after) same++;
    else
      found.push({
        change: Math.abs(after - before),
        flip: {
          item: both.a.item,
          direction: after > before ? "fixed" : "broken",
          before: countsOf(both.a),
          after: countsOf(both.b),
        },
      });
  }
  const flips = found.sort((x, y) => y.change - x.change).map(({ flip }) => flip);
  const fixed = flips.filter((f) => f.direction === "fixed").length;
  const broken = flips.length - fixed;
  return { flips, fixed, broken, same, p: mcnemarExact(fixed, broken) };
}

const rateOf = ({ pass, fail }: OutcomeCounts): number | null =>
  pass + fail === 0 ? null : pass / (pass + fail);
const countsOf = ({ pass, fail, unknown }: OutcomeCounts): OutcomeCounts => ({ pass, fail, unknown });
