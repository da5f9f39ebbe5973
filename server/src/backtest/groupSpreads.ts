import { meanAndStd } from "../../../shared/model/groupSpread.ts";

/** Mean and standard deviation (population) of each group's rewards. */
export interface GroupSpreads {
  readonly means: Float64Array;
  readonly stds: Float64Array;
}

export function groupSpreads(rewards: Float64Array, offsets: Uint32Array): GroupSpreads {
  const groups = offsets.length - 1;
  const means = new Float64Array(groups);
  const stds = new Float64Array(groups);
  for (let g = 0; g < groups; g++) {
    const { mean, std } = meanAndStd(rewards, offsets[g] ?? 0, offsets[g + 1] ?? 0);
    means[g] = mean;
    stds[g] = std;
  }
  return { means, stds };
}
