import type { Finding } from "../../diagnosis/rules.ts";
import type { ProjectSpec } from "../../../../shared/spec/project.ts";
import type { SearchSpec } from "../../../../shared/spec/search.ts";
import type { Question } from "../chooseDrafts.ts";

/** What a search that looks at no finding answers: the score is below 1. */
export const scoreAlone: Finding = {
  name: "score",
  severity: "warning",
  message: "The search looks at no finding here: `search.ranking` says what it goes by.",
};

/** Whether ideas need a finding that they answer. */
export const needsFindings = ({ ranking }: Pick<SearchSpec, "ranking">): boolean => ranking === "evidence";

/** The question as the `search` of evotrainer.yaml lets it be asked: without what it takes away. Pure. */
export function asSet<
  T extends Pick<Question, "project" | "findings" | "cases" | "skills" | "profile" | "answered">,
>(asked: T): T {
  const { ranking, memory, feedback } = asked.project.spec.search;
  const open = needsFindings({ ranking });
  return {
    ...asked,
    findings: open ? asked.findings : [scoreAlone],
    profile: open ? asked.profile : null,
    answered: open ? asked.answered : {},
    skills: open && memory === "on" ? asked.skills : [],
    cases: feedback === "on" ? asked.cases : [],
  };
}

/** Whether the archive is replayed, to rank ideas or to drop proposals. */
export const replays = ({ search }: Pick<ProjectSpec, "search">): boolean =>
  search.backtests === "on" && needsFindings(search);
