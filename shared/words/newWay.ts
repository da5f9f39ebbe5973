import type { NewWay } from "../ledger/newWay.ts";
import { percent, percentWithin } from "./numbers.ts";

/** What a person has to know of a new way to pass before the version is kept: one or two sentences. */
export function newWayText(
  { when, label, ofNew, ofParent, ofParentAll, passing, examples }: NewWay,
  parent: string,
): string {
  const before =
    ofParent === null
      ? `for ${percent(ofParentAll.value)} of all rollouts of ${parent}, which hardly passes`
      : `for ${percent(ofParent.value)} of the passes of ${parent}`;
  const named = label === null ? "" : ` The label ${label} holds for the same rollouts.`;
  const shown = examples.map(({ rollout }) => rollout).join(", ");
  return [
    `A new way to pass: ${when.replace('outcome == "pass" && ', "")} holds for ${percentWithin(ofNew.value, ofNew.low, ofNew.high)} of what passes on items that ${parent} mostly fails, and ${before}; ${percent(passing.value)} of the rollouts that go this way pass.${named}`,
    ...(shown === "" ? [] : [`Look at ${shown} before you trust the gain.`]),
  ].join(" ");
}
