import {
  isPaidFailure,
  rewardReach,
  shapedTo,
  type RewardPart,
} from "../../../../shared/reward/rewardParts.ts";
import { valueText } from "../numbers.ts";
import { element } from "../dom.ts";
import { visibleText } from "../visibleText.ts";
import { barsOf, flagOf } from "./bars.ts";

/** A rollout as far as its reward is shown. */
export type RewardedRollout = {
  readonly outcome: string;
  readonly reward: number | null;
  /** What the reward that its version trained with gives for it, term by term. */
  readonly parts: readonly RewardPart[];
  /** The median reward of the passed rollouts of its version; null where it is not known. */
  readonly passed: number | null;
  /** Whether something beside the bars says already what passing is worth. */
  readonly isWorthSaid: boolean;
};

/** The reward of a rollout as a bar for each term, component × weight, on one axis; a failure that is paid for is flagged. */
export function rewardBarsOf({ outcome, reward, parts, passed, isWorthSaid }: RewardedRollout): HTMLElement {
  const made = element("div", "reward-bars");
  const bars = parts.map((part) => ({
    name: visibleText(part.name),
    parts: part.adds === null ? [] : [{ name: part.name, value: part.adds }],
    says: termText(part),
  }));
  if (isPaidFailure(outcome, reward, { parts, passed }))
    made.append(flagOf(`failed, but reward ${valueText(reward ?? 0)}`));
  const { low, high, highIs } = rewardReach(parts);
  made.append(
    barsOf(
      bars,
      { domain: low < high ? [low, high] : [low, low + 1], say: valueText },
      parts.map(({ name }) => name),
    ),
    element("p", "quiet", axisText({ high, highIs, passed: isWorthSaid ? null : passed })),
  );
  const sum = parts.reduce((total, { adds }) => total + (adds ?? 0), 0);
  if (reward !== null && Math.abs(sum - reward) > 0.0005)
    made.append(
      element(
        "p",
        "quiet",
        `The terms come to ${valueText(sum)}; the trainer recorded ${valueText(reward)}.`,
      ),
    );
  return made;
}

/** `0.875 → 0.5 × 1 = 0.5`: the signal, what the shape of its term makes of it, the weight and what comes of it. */
function termText(part: RewardPart): string {
  const { weight, value, adds } = part;
  if (adds === null || value === null) return "not recorded";
  const shaped = shapedTo(part);
  const signal = shaped === undefined ? valueText(value) : `${valueText(value)} → ${valueText(shaped)}`;
  return `${signal} × ${valueText(weight)} = ${valueText(adds)}`;
}

/** What the right end of the axis is, and what passing is worth where nothing else says it. */
function axisText({
  high,
  highIs,
  passed,
}: Pick<ReturnType<typeof rewardReach>, "high" | "highIs"> & { readonly passed: number | null }): string {
  const end =
    highIs === "given" ? ", the most that a term gives here" : ": no term gives more for a signal up to 1";
  const ofPassed = passed === null ? "" : ` Passed rollouts of its version: median ${valueText(passed)}.`;
  return `${high > 0 ? `The axis ends at ${valueText(high)}${end}.` : ""}${ofPassed}`.trimStart();
}
