import { createHash } from "node:crypto";
import { Remembered } from "../../base/remembered.ts";
import type { Interval } from "../distributions/quantile.ts";
import { meanInterval, type MeanIntervalOptions, type MeanMethod } from "./meanInterval.ts";

const remembered = new Remembered<Interval>(2000);

/**
 * As `meanInterval`. An evolution asks for the intervals of all its versions again whenever one is added: what was computed
 * once from the same values in the same way is not resampled again.
 */
export function rememberedInterval(
  values: Float64Array,
  method: MeanMethod,
  options: MeanIntervalOptions,
): Interval {
  const { confidence, resamples, seed } = options;
  const key = createHash("sha256")
    .update(JSON.stringify([method, confidence, resamples, seed]))
    .update(values)
    .digest("base64");
  return remembered.of(key, () => meanInterval(values, method, options));
}
