import type { Finding } from "../../diagnosis/rules.ts";
import type { ProjectSpec } from "../../../../shared/spec/project.ts";
import type { SearchSpec } from "../../../../shared/spec/search.ts";

/** What a search that looks at no finding answers: the score is below 1. */
const scoreAlone: Finding = {
  name: "score",
  severity: "warning",
  message: "The search looks at no finding here: `search.ranking` says what it goes by.",
};

/** Whether ideas need a finding that they answer. */
export const needsFindings = ({ ranking }: Pick<SearchSpec, "ranking">): boolean => ranking === "evidence";

/** What the settings may take from a question. */
interface Settable {
  readonly project: { readonly spec: Pick<ProjectSpec, "search"> };
  readonly findings: readonly Finding[];
  readonly cases: readonly unknown[];
  readonly skills: readonly unknown[];
  readonly profile: unknown;
  readonly answered: Readonly<Record<string, number>>;
}

/** The question as the `search` of evotrainer.yaml lets it be asked: without what it takes away. Pure. */
export function asSet<T extends Settable>(asked: T): T {
  const { ranking, memory, feedback } = asked.project.spec.search;
  const open = needsFindings({ ranking });
  return {
    ...asked,
    ...(open ? {} : { findings: [scoreAlone], profile: null, answered: {} }),
    ...(open && memory === "on" ? {} : { skills: [] }),
    ...(feedback === "on" ? {} : { cases: [] }),
  };
}

/** Whether the archive is replayed, to rank ideas or to drop proposals. */
export const replays = ({ search }: Pick<ProjectSpec, "search">): boolean =>
  search.backtests === "on" && needsFindings(search);
