import type { ShownDecision } from "../words/decisions.ts";

/**
 * For lists that know no more of a version than its decision (`distrust.ts` knows why): whether the score of a version says what the version can do: not where an invalidating label was found in its rollouts. A score
 * that is not trusted is never the best or the highest; lists rank such a version by its score without what was found.
 */
export const isTrusted = ({ decision }: { readonly decision: ShownDecision }): boolean =>
  decision !== "invalid";
