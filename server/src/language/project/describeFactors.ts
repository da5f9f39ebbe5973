import { listed } from "../../base/similar.ts";
import type { ConfigChange } from "./configDiff.ts";

/** `reward (2 values) and sampling (sampling.temperature)`. */
export function describeFactors(factors: ReadonlyMap<string, readonly ConfigChange[]>): string {
  return listed(
    [...factors].map(([factor, [first, ...more]]) => {
      const what = more.length === 0 ? (first?.path ?? "") : `${more.length + 1} values`;
      return `${factor} (${what})`;
    }),
    "and",
  );
}
