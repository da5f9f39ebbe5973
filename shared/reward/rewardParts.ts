import type { RewardSpec } from "../spec/reward.ts";
import { activeTerms, termFunction } from "./reward.ts";

/** What one term adds to the reward of a rollout; `adds` is null where the rollout lacks its signal. */
export interface RewardPart {
  readonly name: string;
  readonly signal: string;
  readonly weight: number;
  /** The raw signal. */
  readonly value: number | null;
  readonly adds: number | null;
}

/** The reward of a rollout, term by term, from its raw signals. */
export function rewardParts(
  spec: Pick<RewardSpec, "components">,
  signals: Readonly<Record<string, number>>,
): RewardPart[] {
  return activeTerms(spec).map(({ name, signal, term }) => {
    const value = signals[signal] ?? null;
    return {
      name,
      signal,
      weight: term.weight,
      value,
      adds: value === null ? null : termFunction(term)(value),
    };
  });
}

/** What the shape of a term makes of its signal; undefined where it leaves the signal as it is, or nothing is known. */
export function shapedTo({
  weight,
  value,
  adds,
}: Pick<RewardPart, "weight" | "value" | "adds">): number | undefined {
  if (value === null || adds === null || weight === 0) return undefined;
  const shaped = adds / weight;
  return Math.abs(shaped - value) < 0.0005 ? undefined : shaped;
}

/** How far the terms of a reward reach to both sides of zero, and whether that is what they can give or what they gave. */
export interface RewardReach {
  readonly low: number;
  readonly high: number;
  readonly highIs: "possible" | "given";
}

/** At least what each term can give for a signal up to 1, so that a reward looks as small as it is; more where one gave more. */
export function rewardReach(parts: readonly Pick<RewardPart, "weight" | "adds">[]): RewardReach {
  const given = parts.map(({ adds }) => adds ?? 0);
  const weights = parts.map(({ weight }) => weight);
  const [possible, most] = [Math.max(0, ...weights), Math.max(0, ...given)];
  return {
    low: Math.min(0, ...weights, ...given),
    high: Math.max(possible, most),
    highIs: most > possible ? "given" : "possible",
  };
}

/**
 * Whether a failed rollout got as much as passing gives: at least `passed`, the median reward of the passed rollouts of its
 * version, or, where none passed, half of the most that its terms can give for signals up to 1.
 */
export function isPaidFailure(
  outcome: string,
  reward: number | null,
  {
    parts,
    passed,
  }: { readonly parts: readonly Pick<RewardPart, "weight">[]; readonly passed: number | null },
): boolean {
  if (outcome !== "fail" || reward === null) return false;
  const most = parts.reduce((sum, { weight }) => sum + Math.max(0, weight), 0);
  return passed === null ? most > 0 && reward >= most / 2 : reward >= passed;
}
