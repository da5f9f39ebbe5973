import type { ItemOutcomes } from "./outcomes.ts";
import type { RunScores } from "../resampling/stratified.ts";

/**
 * The score of each item in each seed, the share of its passes: what rliable calls the runs of a task. `unknown` says
 * what outcomes that nobody knows count as; left out, an item may be without any run.
 */
export function runScores(outcomes: readonly ItemOutcomes[], unknown?: "pass" | "fail"): RunScores {
  return outcomes.map(({ bySeed, ...all }) =>
    (bySeed ?? [all]).flatMap(({ pass, fail, unknown: open }) => {
      const known = pass + fail + (unknown === undefined ? 0 : open);
      return known === 0 ? [] : [(pass + (unknown === "pass" ? open : 0)) / known];
    }),
  );
}
