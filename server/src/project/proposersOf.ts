import type { ProjectSpec } from "../../../shared/spec/project.ts";

/** The name of the proposer that is always there. */
export const searchName = "search";
/** Who proposed what the ledger names nobody for: earlier releases had one proposer, and did not write its name. */
export const unnamedProposer = "catalogue";

/** Whoever proposes changes in a project by itself. */
export interface Proposer {
  readonly name: string;
  /** search, or the kind of another proposer; two of one kind think alike, so one does not answer for the other. */
  readonly kind: string;
  /** Whether it can answer a gate for somebody else's draft. */
  readonly reviews: boolean;
}

/**
 * The proposers of a project: the search, and those that evotrainer.yaml names. None of them can judge a draft of somebody
 * else yet.
 */
export function proposersOf(
  { proposers }: Pick<ProjectSpec, "proposers"> = { proposers: [] },
): readonly Proposer[] {
  return [
    { name: searchName, kind: searchName, reviews: false },
    ...proposers.map(({ name, kind }) => ({ name, kind, reviews: false })),
  ];
}
