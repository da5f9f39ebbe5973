import type { z } from "zod";

type Issue = z.core.$ZodIssue;

/**
 * What is wrong with a mapping where one of several mappings may stand: by the one that it has most in common with, so that a
 * missing key is called missing. Undefined where none of them is a mapping that it could be meant for.
 */
export function meantIssues({ errors }: z.core.$ZodIssueInvalidUnion): readonly Issue[] | undefined {
  const options = errors.filter((issues) =>
    issues.every(({ path, code }) => path.length > 0 || code === "unrecognized_keys"),
  );
  return options.reduce<readonly Issue[] | undefined>(
    (best, issues) => (best === undefined || strangenessOf(issues) < strangenessOf(best) ? issues : best),
    undefined,
  );
}

/** Keys that an option does not have weigh more than keys that are missing of it; another kind weighs most. */
function strangenessOf(issues: readonly Issue[]): number {
  return issues.reduce((sum, issue) => {
    if (issue.code === "unrecognized_keys") return sum + 10 * issue.keys.length;
    return sum + (issue.code === "invalid_value" && issue.path.at(-1) === "kind" ? 100 : 1);
  }, 0);
}
