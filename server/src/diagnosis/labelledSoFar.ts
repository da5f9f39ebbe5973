import type { Store } from "../evidence/archive/store.ts";
import type { LabelKey } from "../evidence/labels/labelKeys.ts";
import type { LabelResult } from "../evidence/labels/labelAll.ts";
import { numberOf, stringOf } from "../evidence/store/rows.ts";
import { scopeCondition, type EvidenceScope } from "../evidence/store/split.ts";

/** What was found of the rollouts below a number. */
export interface Known {
  /** Rollouts from this number on are new. */
  readonly fromRid: number;
  readonly results: readonly LabelResult[];
}

interface Remembered extends Known {
  readonly key: string;
  readonly labels: readonly LabelKey[];
  readonly print: string;
}

/**
 * Remembers which rollouts of a version that grows were labelled, so that only new ones are labelled at the next look. What is
 * remembered counts only while the archive still has those rollouts and their labels; otherwise all are labelled again.
 */
export class LabelledSoFar {
  #last: Remembered | undefined;

  /** For when rollouts were replaced: their numbers may be given to others. */
  forget(): void {
    this.#last = undefined;
  }

  /** What is known of a scope, by these labels in their order; undefined where all of it has to be labelled. */
  async known(store: Store, scope: EvidenceScope, labels: readonly LabelKey[]): Promise<Known | undefined> {
    const last = this.#last;
    if (last === undefined || last.key !== keyOf(store, scope, labels)) return undefined;
    return (await printOf(store, scope, last)).print === last.print ? last : undefined;
  }

  /** After all rollouts of the scope were labelled with these results, which are of all of them. */
  async remember(
    store: Store,
    scope: EvidenceScope,
    of: { readonly labels: readonly LabelKey[]; readonly results: readonly LabelResult[] },
  ): Promise<void> {
    const { labels, results } = of;
    const { sql, params } = scopeCondition(scope);
    const [row = {}] = await store.query({
      sql: `SELECT coalesce(max(r.rid) + 1, 0)::BIGINT AS next FROM rollouts r WHERE ${sql}`,
      params,
    });
    const fromRid = numberOf(row, "next");
    const { print, rollouts } = await printOf(store, scope, { fromRid, labels });
    // One that came in between was not labelled.
    this.#last =
      rollouts === (results[0]?.rollouts ?? -1)
        ? { key: keyOf(store, scope, labels), fromRid, labels, results, print }
        : undefined;
  }
}

const keyOf = (store: Store, scope: EvidenceScope, labels: readonly LabelKey[]): string =>
  JSON.stringify([
    store.path,
    scope.split,
    scope.version,
    scope.atStep,
    labels.map((l) => [l.label, l.revision]),
  ]);

/** What the rollouts below a number are, and how many of these labels they carry, in short. */
async function printOf(
  store: Store,
  scope: EvidenceScope,
  { fromRid, labels }: Pick<Remembered, "fromRid" | "labels">,
): Promise<{ readonly print: string; readonly rollouts: number }> {
  const { sql, params } = scopeCondition(scope);
  const below = `${sql} AND r.rid < ${BigInt(fromRid)}`;
  const [row = {}] = await store.query({
    sql: `SELECT count(*) AS rollouts,
                 coalesce(bit_xor(hash(r.rid, r.source, r.run, r.id, r.step, r.reward, r.outcome, r.stop_reason)), 0)::VARCHAR AS print
          FROM rollouts r WHERE ${below}`,
    params,
  });
  const [carried = {}] = await store.query({
    sql: `SELECT count(*) AS labels, coalesce(bit_xor(hash(l.rid, l.key)), 0)::VARCHAR AS print FROM labelled l
          JOIN label_keys k ON k.key = l.key AND (k.label, k.revision) IN (SELECT unnest(?), unnest(?))
          WHERE l.rid IN (SELECT r.rid FROM rollouts r WHERE ${below})`,
    params: [labels.map(({ label }) => label), labels.map(({ revision }) => revision), ...params],
  });
  const rollouts = numberOf(row, "rollouts");
  return {
    rollouts,
    print: [rollouts, stringOf(row, "print"), numberOf(carried, "labels"), stringOf(carried, "print")].join(
      " ",
    ),
  };
}
