import { count, counted, percent, percentWithin, plural } from "../../../shared/words/numbers.ts";
import type { TruncationReplay } from "./truncationReplay.ts";

/** What each limit would have cut, one sentence each. */
export function describeTruncation(unit: "turns" | "tokens", replay: TruncationReplay): string[] {
  if (replay.rollouts === 0)
    return [`No rollout says how many ${unit} it took, so a limit on them cannot be replayed.`];
  const told = replay.limits.map(({ limit, cut, cutPasses, misTruncated, savedShare }) => {
    const cost =
      misTruncated === null
        ? "no rollout passed, so no success can be lost"
        : `${cutPasses} of ${counted(replay.passes, "success", "successes")} lost, ${percentWithin(misTruncated.share, misTruncated.low, misTruncated.high)}`;
    return `At most ${counted(limit, unit.slice(0, -1))}: ${counted(cut, "rollout")} of ${count(replay.rollouts)} cut, ${cost}; saves ${percent(savedShare ?? 0)} of the ${unit}.`;
  });
  if (replay.withoutLength > 0)
    told.push(
      `${counted(replay.withoutLength, "rollout")} without a number of ${unit} ${plural(replay.withoutLength, "is", "are")} left out.`,
    );
  return told;
}
