import { counted } from "../../../../shared/words/numbers.ts";
import { HarnessError } from "../../base/errors.ts";
import { countNewestFirst, type LiveCount } from "../../evidence/queries/liveCount.ts";
import type { EvidenceScope } from "../../evidence/store/split.ts";
import type { Store } from "../../evidence/archive/store.ts";
import { compilePredicate } from "../../predicate/compile.ts";
import type { PredicateProblem } from "../../predicate/types.ts";
import { splitOrDefault } from "../workspace/openSplit.ts";
import { defineService } from "../workspace/service.ts";

/** How far a count has come, and when that was. The `part` of a progress report is one as well. */
export interface CountedSoFar extends LiveCount {
  readonly type: "counted";
  /** ISO time at which the archive was read. */
  readonly at: string;
}

export type LiveCountAnswer =
  | CountedSoFar
  | { readonly type: "problems"; readonly problems: readonly PredicateProblem[] };

/** The running count of each stream: a newer one ends it. */
const running = new WeakMap<Store, Map<string, AbortController>>();

/**
 * Counts the rollouts for which a condition holds while it is typed: what is known is reported as the `part` of the progress,
 * the newest 20,480 rollouts first, and the answer is the whole. A condition that cannot be compiled is answered with what is
 * wrong where. Cancelled by the caller, and by the next request of its stream.
 */
export const liveCount = defineService("diagnostics.liveCount", {
  repeatable: true,
  async run({ store }, { condition, params, version, split: asked, stream }, { signal, progress }) {
    const compiled = compilePredicate(condition, "rollout", params);
    const own = supersede(store, stream);
    if (!compiled.ok) return { type: "problems" as const, problems: [...compiled.problems] };
    try {
      const split = await splitOrDefault(store, version, asked);
      const scope: EvidenceScope = { split, ...(version === undefined ? {} : { version }) };
      let last: CountedSoFar | undefined;
      for await (const count of countNewestFirst(store, {
        scope,
        where: { sql: compiled.predicate.sql, params: [] },
        signal: AbortSignal.any([signal, own.signal]),
      })) {
        // What a newer request took the place of is not wanted, however far it came.
        if (own.signal.aborted) throw new HarnessError("cancelled", "A newer count replaced this one.");
        last = { type: "counted", ...count, at: new Date().toISOString() };
        if (!count.done)
          progress({
            message: `${count.labelled} of ${counted(count.rollouts, "rollout")}`,
            done: count.rollouts,
            part: last,
          });
      }
      const nothing = { rollouts: 0, labelled: 0, undecided: 0, done: true } as const;
      return last ?? { type: "counted" as const, ...nothing, at: new Date().toISOString() };
    } finally {
      finish(store, stream, own);
    }
  },
});

/** Ends the count of a stream that is still running, and takes its place. */
function supersede(store: Store, stream: string | undefined): AbortController {
  const own = new AbortController();
  if (stream === undefined) return own;
  const streams = running.get(store) ?? new Map<string, AbortController>();
  running.set(store, streams);
  streams.get(stream)?.abort();
  streams.set(stream, own);
  return own;
}

function finish(store: Store, stream: string | undefined, own: AbortController): void {
  const streams = running.get(store);
  if (stream !== undefined && streams?.get(stream) === own) streams.delete(stream);
}
