import type { ProjectSpec } from "../../../../shared/spec/project.ts";
import { listed } from "../../base/similar.ts";

/** What stays in an evolution as it was when it began: with another one, its versions could not be compared. */
const lasting = [
  "domain",
  "trainer",
  "metric",
  "evaluation",
  "testing",
  "surfaces",
  "frozen",
  "reward",
  "diagnostics",
  "library",
] as const;
type Lasting = (typeof lasting)[number];

export interface InForce {
  readonly spec: ProjectSpec;
  /** What was changed since the evolution began and does not count in it. */
  readonly ignored: readonly Lasting[];
}

/**
 * What is in force: gates, budgets and proposers of the newest commit of the user's branch, everything else as the evolution began.
 */
export function specInForce(began: ProjectSpec, newest: ProjectSpec): InForce {
  return {
    spec: { ...began, gates: newest.gates, budgets: newest.budgets, proposers: newest.proposers },
    ignored: lasting.filter(
      (part) => JSON.stringify(partOf(began, part)) !== JSON.stringify(partOf(newest, part)),
    ),
  };
}

/** Where jobs run is chosen anew each time; it is no part of what a version is. */
function partOf(spec: ProjectSpec, part: Lasting): unknown {
  if (part !== "trainer") return spec[part];
  const { hosts: _hosts, ...trainer } = spec.trainer;
  return trainer;
}

/** What a person has to know of changes that do not count, and what they can do; null where nothing is ignored. */
export function ignoredText({
  parts,
  files,
  commit,
}: {
  readonly parts: readonly string[];
  /** Files that differ although evotrainer.yaml names them as before, such as those of surfaces. */
  readonly files: readonly string[];
  readonly commit: string;
}): string | null {
  const what = [
    ...(parts.length === 0 ? [] : [`${listed(parts, "and")} in evotrainer.yaml`]),
    ...(files.length === 0 ? [] : [fewOf(files)]),
  ];
  if (what.length === 0) return null;
  return `Commit ${commit.slice(0, 12)} changes ${what.join(" and ")}, and this evolution does not use that: it keeps what it began with, so that its versions can be compared. Run \`evotrainer evolve --restart\` to begin a new evolution from here, or undo the change.`;
}

function fewOf(files: readonly string[]): string {
  const shown = files.slice(0, 3);
  const more = files.length - shown.length;
  return more === 0 ? listed(shown, "and") : `${shown.join(", ")} and ${more} more`;
}
