import type { RewardMeans } from "../../../shared/protocol/results/shift.ts";
import { countedText, valueText } from "../shared/numbers.ts";
import { reachOf } from "../shared/charts/axis.ts";
import { barsOf, legendOf, type Bar } from "../shared/charts/bars.ts";
import { element } from "../shared/dom.ts";
import { visibleText } from "../shared/visibleText.ts";

/**
 * What passed and what failed in each version was paid on the mean, stacked of the terms of its reward: a reward that pays
 * failures nearly as well as passes teaches little of what is asked for.
 */
export function rewardsOf(found: readonly RewardMeans[]): Node[] {
  const known = found.filter(({ outcomes }) => outcomes.length > 0);
  const unknown = found
    .filter(({ outcomes }) => outcomes.length === 0)
    .map(({ version, because }) =>
      element(
        "p",
        "quiet",
        visibleText(
          because === undefined
            ? `No rollout of ${version} has a known outcome.`
            : `The terms of the reward of ${version} are not known: ${because}.`,
        ),
      ),
    );
  if (known.length === 0) return unknown;
  const names = [
    ...new Set(
      known.flatMap(({ outcomes }) => outcomes.flatMap(({ terms }) => terms.map(({ name }) => name))),
    ),
  ];
  const bars = known.flatMap((one) => one.outcomes.map((of) => barOf(one.version, of)));
  return [
    legendOf(names.map(visibleText)),
    barsOf(bars, { domain: reachOf(bars), say: valueText }, names),
    ...unknown,
  ];
}

function barOf(
  version: string,
  { outcome, rollouts, reward, paid, terms }: RewardMeans["outcomes"][number],
): Bar {
  const parts = terms.flatMap(({ name, adds }) => (adds === null ? [] : [{ name, value: adds }]));
  const sum = parts.reduce((total, { value }) => total + value, 0);
  return {
    name: visibleText(`${version} ${outcome === "pass" ? "passed" : "failed"}`),
    parts,
    says: `${valueText(reward ?? sum)}, the mean of ${countedText(rollouts, "rollout")}`,
    ...(paid === 0 ? {} : { flag: `${countedText(paid, "failure")} got as much as a typical pass` }),
  };
}
