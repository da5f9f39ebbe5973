import type { LabelShare } from "./labelShare.ts";
import { count, percent } from "../words/numbers.ts";

/**
 * How often a label holds, in words: `10.0 %`; where some are undecided `88.9 % of 135 decided, 10.0 % to 98.7 % of all`; where
 * all are `cannot tell`.
 */
export function shareText({ rate, decided, undecided, rollouts, bounds: [low, high] }: LabelShare): string {
  if (rate === null) return rollouts === 0 ? "none" : "cannot tell";
  if (undecided === 0) return percent(rate);
  return `${percent(rate)} of ${count(decided)} decided, ${percent(low)} to ${percent(high)} of all`;
}

/** The same in a narrow column, where a question mark stands for what the undecided ones leave open. */
export const shortShareText = ({
  rate,
  bounds,
}: {
  readonly rate: number | null;
  readonly bounds?: readonly [number, number] | undefined;
}): string => (rate === null ? "?" : `${percent(rate)}${bounds === undefined ? "" : " ?"}`);

/** `groups, train split`: what a share of groups is of; nothing where it is of the rollouts that are looked at. */
export const groupsText = ({
  over,
  split,
}: {
  readonly over?: "rollout" | "group" | undefined;
  readonly split?: string | undefined;
}): string => (over === "group" ? `groups${split === undefined ? "" : `, ${split} split`}` : "");
