import { count, counted, figure, percent, percentOf, plural, value } from "../../../shared/words/numbers.ts";
import type { OrderViolations } from "./orderViolations.ts";
import type { RewardReplay } from "./rewardReplay.ts";
import { constantShare } from "./termUse.ts";

/**
 * What a reward replay found, one sentence each, the most important first. Where the filter changes too, a reward that changes
 * no advantage does not make the whole change one without effect.
 */
export function describeReward(
  replay: RewardReplay,
  { filterChanges }: { readonly filterChanges: boolean },
): string[] {
  const { archived, groups, noOp } = replay;
  if (archived.rollouts === 0) return ["There are no rollouts to replay."];
  if (groups === 0) return [nothingToReplay(replay), ...leftOut(replay)];
  return [
    deadGroups(replay),
    ...(noOp === true ? [noChange(replay, filterChanges)] : [changed(replay)]),
    ...violations(replay),
    ...constants(replay),
    ...rewards(replay),
    ...leftOut(replay),
    ...fidelity(replay),
  ];
}

function nothingToReplay({ archived, leftOut: { singles, rollouts } }: RewardReplay): string {
  return rollouts === 0
    ? `All ${counted(singles, "group")} have one rollout each and nothing to compare it with, so there is no advantage to replay.`
    : `Of ${counted(archived.rollouts, "rollout")} ${rollouts === archived.rollouts ? "none" : "too few"} can be replayed to compare rollouts within a group.`;
}

function deadGroups({ dead, groups }: RewardReplay): string {
  const { before, after, revived, died } = dead;
  const lost =
    died === 0 ? "" : `; ${counted(died, "group")} that had a spread ${plural(died, "has", "have")} none now`;
  const won = before === 0 ? "" : `: ${revived} of ${counted(before, "dead group")} revived`;
  return `Dead groups (one reward for all rollouts) ${percentOf(before, groups)} → ${percentOf(after, groups)} of ${counted(groups, "group")}${won}${lost}.`;
}

function noChange({ dead, groups }: RewardReplay, filterChanges: boolean): string {
  if (dead.before === groups)
    return "No group has any spread, before or after: either way the policy learns nothing.";
  return filterChanges
    ? "Only the filter changes something: in every group the new reward is the old one, at most scaled and shifted, which group normalisation cancels."
    : "No-op: in every group the new reward is the old one scaled and shifted, which group normalisation cancels; every advantage stays the same.";
}

function changed({ advantages, groups, rankCorrelation }: RewardReplay): string {
  const tau =
    rankCorrelation === null
      ? "there is no rank correlation, because in every group one of the two rewards never changes"
      : `Kendall's tau-b of old and new reward within groups ${value(rankCorrelation)}`;
  return `Advantages change in ${counted(groups - advantages.unchangedGroups, "group")} of ${count(groups)}, by ${value(advantages.mean ?? 0)} on average; ${tau}.`;
}

function violations({ violations: { before, after }, outcomes }: RewardReplay): string[] {
  if (outcomes.pass + outcomes.fail === 0)
    return ["Every outcome is unknown, so a reward cannot violate any order."];
  if (after.comparable === 0)
    return ["No group has both a passed and a failed rollout, so a reward cannot violate any order."];
  const told = (v: OrderViolations): string => `${v.rollouts} (${counted(v.pairs, "pair")})`;
  const unknown =
    outcomes.unknown === 0
      ? ""
      : `; ${counted(outcomes.unknown, "rollout")} with an unknown outcome ${plural(outcomes.unknown, "is", "are")} left out`;
  return [
    `Order violations (failed rollouts with a higher reward than a passed one in their group): ${told(before)} → ${told(after)}, in ${counted(after.groups, "group")}, of ${counted(after.comparable, "comparable pair")}${unknown}.`,
  ];
}

function constants({ terms, groups }: RewardReplay): string[] {
  return terms
    .filter((term) => term.saturation >= constantShare)
    .map(({ name, maximum, saturation, variesIn }) => {
      const who =
        maximum > 0
          ? `is given in full to ${percent(saturation)} of the rollouts`
          : `takes nothing from ${percent(saturation)} of the rollouts`;
      const where =
        variesIn === 0
          ? "it differs in no group"
          : `it differs in only ${variesIn} of ${counted(groups, "group")}`;
      const verdict =
        variesIn === 0
          ? "so it is a constant and does nothing"
          : "so it is nearly a constant and does almost nothing";
      return `The term ${name} ${who}, ${verdict}: ${where}.`;
    });
}

function rewards({
  distribution: { before, after },
  rollouts,
  outcomes: { unknown },
}: RewardReplay): string[] {
  if (before === null || after === null) return [];
  const broken = unknown === 0 || unknown === rollouts ? "" : `, ${unknown} of them with an unknown outcome`;
  return [
    `Reward ${figure(before.mean)} ± ${figure(before.std)} → ${figure(after.mean)} ± ${figure(after.std)} (mean ± standard deviation over ${counted(rollouts, "rollout")}${broken}); the most frequent value is ${figure(before.topReward)} for ${percent(before.topShare)} → ${figure(after.topReward)} for ${percent(after.topShare)}.`,
  ];
}

function leftOut({ archived, leftOut: left }: RewardReplay): string[] {
  const told: string[] = [];
  if (left.rollouts > 0) {
    const reasons = left.lacking
      .map(({ signal, missing, notFinite }) =>
        [
          missing > 0 ? `${counted(missing, "rollout")} without ${signal}` : "",
          notFinite > 0 ? `${counted(notFinite, "rollout")} with ${signal} not a finite number` : "",
        ]
          .filter(Boolean)
          .join(", "),
      )
      .join("; ");
    told.push(
      `${counted(left.rollouts, "rollout")} of ${count(archived.rollouts)} cannot be replayed and ${plural(left.rollouts, "is", "are")} left out${reasons === "" ? "" : ` (${reasons})`}${left.incompleteGroups === 0 ? "" : `; ${counted(left.incompleteGroups, "group is", "groups are")} judged by the remaining rollouts`}.`,
    );
  }
  if (left.singles > 0 && left.singles < archived.groups)
    told.push(
      `${counted(left.singles, "group")} with fewer than two rollouts to compare ${plural(left.singles, "is", "are")} left out.`,
    );
  return told;
}

function fidelity({ reproduced: { same, compared } }: RewardReplay): string[] {
  return same === compared
    ? []
    : [
        `The old spec reproduces only ${percent(same / compared)} of the recorded rewards: training used something that the archived components do not contain.`,
      ];
}
