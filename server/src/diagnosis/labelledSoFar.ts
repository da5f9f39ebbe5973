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

/** What rollouts are, and how many of some labels they carry, in short. Two of these of different rollouts can be added. */
interface Print {
  readonly rollouts: number;
  readonly ofRollouts: bigint;
  readonly labels: number;
  readonly ofLabels: bigint;
}

interface Remembered extends Known {
  readonly key: string;
  readonly labels: readonly LabelKey[];
  readonly print: Print;
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
    const print = await printOf(store, scope, { labels, from: 0, to: last.fromRid });
    return isSame(print, last.print) ? last : undefined;
  }

  /**
   * After the rollouts of the scope were labelled that are not in `known`, with these results, which are of all of them.
   */
  async remember(
    store: Store,
    scope: EvidenceScope,
    of: {
      readonly labels: readonly LabelKey[];
      readonly results: readonly LabelResult[];
      readonly known: Known | undefined;
    },
  ): Promise<void> {
    const { labels, results, known } = of;
    const last = this.#last;
    const before = known !== undefined && last === known ? last : undefined;
    const from = before?.fromRid ?? 0;
    const { sql, params } = scopeCondition({ ...scope, fromRid: from });
    const [row = {}] = await store.query({
      sql: `SELECT coalesce(max(r.rid) + 1, ${from})::BIGINT AS next FROM rollouts r WHERE ${sql}`,
      params,
    });
    const fromRid = numberOf(row, "next");
    const fresh = await printOf(store, scope, { labels, from, to: fromRid });
    const print = before === undefined ? fresh : sumOf(before.print, fresh);
    // One that came in between was not labelled.
    this.#last =
      print.rollouts === (results[0]?.rollouts ?? -1)
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

const isSame = (a: Print, b: Print): boolean =>
  a.rollouts === b.rollouts &&
  a.ofRollouts === b.ofRollouts &&
  a.labels === b.labels &&
  a.ofLabels === b.ofLabels;

const sumOf = (a: Print, b: Print): Print => ({
  rollouts: a.rollouts + b.rollouts,
  ofRollouts: a.ofRollouts ^ b.ofRollouts,
  labels: a.labels + b.labels,
  ofLabels: a.ofLabels ^ b.ofLabels,
});

/** Of the rollouts with numbers from `from` on and below `to`. */
async function printOf(
  store: Store,
  scope: EvidenceScope,
  { labels, from, to }: { readonly labels: readonly LabelKey[]; readonly from: number; readonly to: number },
): Promise<Print> {
  const { sql, params } = scopeCondition({ ...scope, fromRid: from });
  const within = `${sql} AND r.rid < ${BigInt(to)}`;
  const [row = {}] = await store.query({
    sql: `SELECT count(*) AS rollouts,
                 coalesce(bit_xor(hash(r.rid, r.source, r.run, r.id, r.step, r.reward, r.outcome, r.stop_reason)), 0)::VARCHAR AS print
          FROM rollouts r WHERE ${within}`,
    params,
  });
  const [carried = {}] = await store.query({
    sql: `SELECT count(*) AS labels, coalesce(bit_xor(hash(l.rid, l.key)), 0)::VARCHAR AS print FROM labelled l
          JOIN label_keys k ON k.key = l.key AND (k.label, k.revision) IN (SELECT unnest(?), unnest(?))
          WHERE l.rid >= ${BigInt(from)} AND l.rid < ${BigInt(to)} AND l.rid IN (SELECT r.rid FROM rollouts r WHERE ${within})`,
    params: [labels.map(({ label }) => label), labels.map(({ revision }) => revision), ...params],
  });
  return {
    rollouts: numberOf(row, "rollouts"),
    ofRollouts: BigInt(stringOf(row, "print")),
    labels: numberOf(carried, "labels"),
    ofLabels: BigInt(stringOf(carried, "print")),
  };
}
