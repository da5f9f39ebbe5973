import { counted, percentOf, setPercent, plural } from "../../../shared/words/numbers.ts";
import type { GroupFilter } from "../../../shared/spec/reward.ts";
import { overFilteringShare, type FilteredGroups } from "./filterReplay.ts";

/** What a filter replay found, one sentence each; `current` is that of the filter in force, where it is known. */
export function describeFilter(
  filter: GroupFilter,
  now: FilteredGroups,
  current: FilteredGroups | null,
): string[] {
  const { replay: after } = now;
  const before = current?.replay ?? null;
  if (after.groups === 0) return [];
  const told = [
    `The filter (${nameOf(filter)}) keeps ${before === null ? "" : `${percentOf(before.kept, before.groups)} → `}${percentOf(after.kept, after.groups)} of ${counted(after.groups, "group")}: it drops ${after.dead} without spread and ${filter.kind === "outcome" ? `${after.same} with one outcome` : `${after.low} with a low one`}${after.rescued === 0 ? "" : `; ${after.rescued} stay because a step keeps at least ${setPercent(filter.minKeep)}`}.`,
  ];
  if (current !== null && filter.kind !== "none") {
    const won = now.keeps.filter((keeps, g) => keeps && current.keeps[g] === false).length;
    const lost = now.keeps.filter((keeps, g) => !keeps && current.keeps[g] === true).length;
    if (won + lost === 0) told.push("It keeps the same groups as now: on these groups it changes nothing.");
  }
  if (after.keepRatio !== null && after.keepRatio < overFilteringShare)
    told.push(`Fewer than ${setPercent(overFilteringShare)} are kept: this filter starves the training.`);
  if (after.lowWithPass > 0)
    told.push(
      `${counted(after.lowWithPass, "group")} dropped for a low spread ${plural(after.lowWithPass, "has", "have")} a rollout that passed.`,
    );
  if (filter.kind === "std" && after.runsInWarmup > 0)
    told.push(
      after.runsInWarmup === after.runs
        ? `It never starts: it warms up over ${counted(after.warmup, "group")} of a run, and no run here has that many.`
        : `In ${after.runsInWarmup} of ${counted(after.runs, "run")} it never starts: they have fewer than the ${counted(after.warmup, "group")} of its warm-up.`,
    );
  if (filter.kind === "std" && after.runsWithGaps > 0)
    told.push(
      `${after.runsWithGaps} of ${counted(after.runs, "run")} ${plural(after.runsWithGaps, "has", "have")} steps that are not archived: in training the moving average includes those as well.`,
    );
  return told;
}

function nameOf({ kind, mode, keep }: GroupFilter): string {
  if (kind === "none") return "none, which drops dead groups only";
  if (kind === "outcome") return "outcome";
  return mode === "absolute" ? `std, absolute, keep ${keep}` : `std, top-p ${keep}`;
}
