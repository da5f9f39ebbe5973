import { tryArchived, type ArchivedVerdict } from "../../backtest/archivedExamples.ts";
import { countNewest } from "../../evidence/queries/countNewest.ts";
import { compilePredicate } from "../../predicate/compile.ts";
import { defineService } from "../workspace/service.ts";

/** What the archive says of a condition. */
export interface TriedCondition {
  /** The newest rollouts of train and selection that it was tried on, and those of them on which it holds. */
  readonly rollouts: number;
  readonly labelled: number;
  /** For each rollout that was named. */
  readonly verdicts: readonly ArchivedVerdict[];
}

/**
 * Tries conditions as they stand in specs, saved or not: on the newest rollouts, and on those that their examples name. Null
 * for one that does not compile. Nothing of the audit split.
 */
export const diagnosticsTry = defineService("diagnostics.try", {
  repeatable: true,
  async run({ store }, { tries }): Promise<{ tried: (TriedCondition | null)[] }> {
    const compiled = tries.map(({ condition, params, rollouts }) => {
      const result = compilePredicate(condition, "rollout", params);
      return result.ok ? { sql: result.predicate.sql, rollouts } : undefined;
    });
    const usable = compiled.filter((one) => one !== undefined);
    const counts = await countNewest(
      store,
      usable.map(({ sql }) => sql),
    );
    const named = usable.filter(({ rollouts }) => rollouts.length > 0);
    const found = new Map((await tryArchived(store, named)).map((verdicts, i) => [named[i], verdicts]));
    const tried = new Map(
      usable.map((one, i) => {
        const { rollouts, labelled } = counts[i] ?? { rollouts: 0, labelled: 0 };
        return [one, { rollouts, labelled, verdicts: found.get(one) ?? [] }];
      }),
    );
    return { tried: compiled.map((one) => (one && tried.get(one)) ?? null) };
  },
});
