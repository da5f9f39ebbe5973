import type { RolloutSummary } from "../../evidence/queries/query.ts";
import { readRollout } from "../../evidence/queries/readRollout.ts";
import type { Store } from "../../evidence/archive/store.ts";
import { firstDivergence, type Divergence } from "../../statistics/comparison/divergence.ts";
import type { Flip } from "../../statistics/comparison/flips.ts";

/** Two rollouts of an item with different outcomes, and the first action in which they differ. */
export interface FlipDivergence {
  readonly before: { readonly run: string; readonly id: string };
  readonly after: { readonly run: string; readonly id: string };
  /** Indices into the turns of the two; null when their turns are the same, or no longer in the archive. */
  readonly first: Divergence | null;
}

/**
 * For an item that flipped, a passing and a failing rollout of it, of the same sample where there is one, and where they
 * part. Null when no such pair is there.
 */
export async function flipDivergence(
  store: Store,
  flip: Flip,
  rollouts: { readonly a: readonly RolloutSummary[]; readonly b: readonly RolloutSummary[] },
): Promise<FlipDivergence | null> {
  const [was, is] = flip.direction === "fixed" ? (["fail", "pass"] as const) : (["pass", "fail"] as const);
  const before = rollouts.a.filter((r) => r.item === flip.item && r.outcome === was);
  const after = rollouts.b.filter((r) => r.item === flip.item && r.outcome === is);
  const same = before.flatMap((r) => after.filter((s) => s.sample === r.sample).map((s) => [r, s] as const));
  const [x, y] = same[0] ?? [before[0], after[0]];
  if (x === undefined || y === undefined) return null;
  const [full, other] = [
    await readRollout(store, { within: x.run, id: x.id }),
    await readRollout(store, { within: y.run, id: y.id }),
  ];
  const gone = full.trimmed === true || other.trimmed === true;
  return {
    before: { run: x.run, id: x.id },
    after: { run: y.run, id: y.id },
    first: gone ? null : firstDivergence(full.rollout.turns, other.rollout.turns),
  };
}
