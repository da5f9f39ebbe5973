import type { DiagnosticSpec } from "../../../../shared/spec/diagnostic.ts";
import { usableLabel } from "../../diagnosis/label/compileLabel.ts";
import type { Store } from "../../evidence/archive/store.ts";
import { SharedReads } from "../../evidence/labels/sharedReads.ts";
import { heldConditions, rolloutFacts, type RolloutFacts } from "../../evidence/queries/gapRollouts.ts";
import type { EvidenceScope } from "../../evidence/store/split.ts";

/** A rollout of the version that was asked for, or of the one that it is compared with. */
export interface GapRollout extends RolloutFacts {
  readonly own: boolean;
}

/** Rollouts of one version or of two, and how their conditions are tried. */
export interface GapEvidence {
  readonly rollouts: readonly GapRollout[];
  /** Per diagnostic a text with a character per rollout: "1", "0" or "?". */
  readonly held: (specs: readonly DiagnosticSpec[]) => Promise<string[]>;
}

export async function gapEvidence(
  store: Store,
  scopes: readonly [EvidenceScope, ...EvidenceScope[]],
): Promise<GapEvidence> {
  const rollouts: GapRollout[] = [];
  for (const [i, scope] of scopes.entries())
    rollouts.push(...(await rolloutFacts(store, scope)).map((facts) => ({ ...facts, own: i === 0 })));
  return {
    rollouts,
    held: async (specs) => {
      const texts = specs.map(() => "");
      for (const scope of scopes) {
        const reads = new SharedReads();
        const conditions = specs.map((spec) => usableLabel(spec).sharedWhen(reads));
        const held = await heldConditions(store, { scope, conditions, reads });
        for (const [i, text] of held.entries()) texts[i] += text;
      }
      return texts;
    },
  };
}
