import type { InParentEnvironment, NewWay } from "./newWay.ts";
import { percent, percentWithin, points, pointsInterval } from "../words/numbers.ts";

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

/** `In the environment of v1, its policy scores 3 %: −27.3 points against v1 [−31.0, −22.1].` */
export function elsewhereText({
  parent,
  score,
  comparison,
  because = "",
  switched = [],
}: InParentEnvironment): string {
  const against =
    comparison === null
      ? ""
      : `: ${points(comparison.difference)} against ${parent} ${pointsInterval(comparison.low, comparison.high)}`;
  const without = switched.length === 0 ? "" : `, without the changed ${switched.join(", ")}`;
  if (score === null)
    return `In the environment of ${parent}${without}, its policy could not be evaluated: ${because}`;
  return `In the environment of ${parent}${without}, its policy scores ${percent(score.value)}${against}.`;
}

/**
 * Whether a person has to look at a gain first: it rests on a new way to pass and is not surely there in the parent's environment,
 * or it rests on a switch of the environment, and without that the policy is surely worse than the parent's. Where nobody
 * can tell, because the policy cannot be evaluated there, a person has to look as well.
 */
export function isDoubtful({
  newWays = [],
  inParentEnvironment,
}: {
  readonly newWays?: readonly NewWay[] | undefined;
  readonly inParentEnvironment?: InParentEnvironment | undefined;
}): boolean {
  if (inParentEnvironment === undefined) return false;
  const { comparison, score, switched = [] } = inParentEnvironment;
  const isSwitched = switched.length > 0;
  if (score === null) return newWays.length > 0 || isSwitched;
  if (comparison === null) return false;
  return (newWays.length > 0 && comparison.low <= 0) || (isSwitched && comparison.high < 0);
}
