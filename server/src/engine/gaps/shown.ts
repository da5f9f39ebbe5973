import type { GapDraft } from "../../../../shared/protocol/results/gaps.ts";
import type { Store } from "../../evidence/archive/store.ts";
import { wholeRollouts } from "../../evidence/queries/wholeRollouts.ts";
import type { EvidenceScope } from "../../evidence/store/split.ts";
import { compilePredicate } from "../../predicate/compile.ts";
import { rolloutFacts } from "../../predicate/facts.ts";
import type { GapRollout } from "./gapEvidence.ts";

/** From this overlap on a condition says what another one says. */
export const sameAs = 0.9;

/** The overlap (Jaccard) of two conditions, as texts of `GapEvidence.held`, among the rollouts at some places. */
export function overlap(a: string, b: string, places: readonly number[]): number {
  let [common, either] = [0, 0];
  for (const at of places) {
    const [inA, inB] = [a[at] === "1", b[at] === "1"];
    if (inA && inB) common += 1;
    if (inA || inB) either += 1;
  }
  return either === 0 ? 0 : common / either;
}

/** The turns that show the draft in some rollouts. */
export async function examplesOf(
  store: Store,
  { scope, evidence }: { readonly scope: EvidenceScope | undefined; readonly evidence: string | null },
  rollouts: readonly GapRollout[],
): Promise<GapDraft["examples"]> {
  if (scope === undefined || rollouts.length === 0) return [];
  const compiled = evidence === null ? null : compilePredicate(evidence, "turn", {});
  const found: GapDraft["examples"] = [];
  for await (const { rollout } of wholeRollouts(store, { scope, rids: rollouts.map(({ rid }) => rid) })) {
    const shows = compiled?.ok === true ? compiled.predicate : null;
    const facts = rolloutFacts(rollout);
    const turns = rollout.turns.flatMap((_, i) => (shows?.test(facts, i) === true ? [i] : []));
    found.push({ rollout: `${rollout.run}/${rollout.id}`, turns });
  }
  return found;
}
