import type { Comparison } from "../../../shared/ledger/measures.ts";
import { wear } from "../decision/testing/wear.ts";
import type { Wear } from "../decision/testing/testing.ts";

/** What the wear of the selection split is told from: a version as a record or as a report has it. */
export interface Compared {
  readonly comparison: Comparison | null;
  /** Whether another tool measured it: then nothing of ours looked at this project's items. */
  readonly isForeign: boolean;
}

/** How worn the selection split is by all comparisons that a lineage has; `gain` is what is claimed for its best version. */
export function selectionWear(
  versions: readonly Compared[],
  { gain, margin }: { readonly gain: number | null; readonly margin: number },
): Wear {
  const comparisons = versions.flatMap(({ comparison, isForeign }) =>
    comparison === null || isForeign ? [] : [comparison],
  );
  return wear({ comparisons, gain, margin });
}
