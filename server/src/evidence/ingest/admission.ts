import { counted } from "../../../../shared/words/numbers.ts";
import type { Claims } from "../contract/claims.ts";
import type { Store } from "../store/database.ts";
import { replacedReason } from "../store/quarantine.ts";
import { numberOf, stringOf } from "../store/rows.ts";
import type { Asked } from "../store/runTerms.ts";

const isCommit = /^(?:[0-9a-f]{40}|[0-9a-f]{64})$/;

/** Says of each rollout of a file whether its job was asked for it. */
export class Admission {
  readonly #asked: Asked;
  /** How many rollouts of an item at a step are in, where the project limits them. */
  readonly #counts: Map<string, number>;

  private constructor(asked: Asked, counts: Map<string, number>) {
    this.#asked = asked;
    this.#counts = counts;
  }

  /** Goes on where a file's rollouts in the archive end. */
  static async open(store: Store, source: bigint, asked: Asked): Promise<Admission> {
    const counts = new Map<string, number>();
    if (asked.samples !== null) {
      const rows = await store.query({
        sql: `SELECT split::VARCHAR AS split, step, item, count(*) AS n FROM rollouts
              WHERE source = ? AND split <> 'train' GROUP BY ALL`,
        params: [source],
      });
      for (const row of rows)
        counts.set(
          keyOf(stringOf(row, "split"), numberOf(row, "step"), stringOf(row, "item")),
          numberOf(row, "n"),
        );
    }
    return new Admission(asked, counts);
  }

  /** Why a rollout does not count whatever else the file holds; undefined when it may. */
  refusal({ split, item, harness, seed }: Claims): string | undefined {
    const { splits, commit, seed: own, replaced } = this.#asked;
    const again = replaced.get(split);
    if (again !== undefined) return replacedReason(again, split);
    const items = splits.get(split);
    if (items === undefined)
      return `the job was not asked for the ${split} split, only for ${[...splits.keys()].join(" and ")}`;
    if (items?.has(item) === false) return `the ${split} split has no item ${JSON.stringify(shorten(item))}`;
    if (seed !== null && seed !== own) return `seed is ${seed}, but the job ran with seed ${own}`;
    if (harness !== null && harness !== commit && isCommit.test(harness))
      return `harness is ${harness}, but the job ran the version ${commit}`;
    return undefined;
  }

  /** Under what the rollouts of an item are counted; undefined where they are not. */
  key({ split, step, item }: Claims): string | undefined {
    return this.#asked.samples === null || split === "train" ? undefined : keyOf(split, step, item);
  }

  /** Counts a rollout that counts otherwise; why it does not when its item has enough. */
  excess(key: string): string | undefined {
    const count = this.#counts.get(key) ?? 0;
    if (count === this.#asked.samples)
      return `its item has ${counted(count, "rollout")} at this step already, which is what evaluation.samples of evotrainer.yaml allows`;
    this.#counts.set(key, count + 1);
    return undefined;
  }
}

const keyOf = (split: string, step: number, item: string): string => `${split} ${step} ${item}`;

const shorten = (text: string): string => (text.length > 60 ? `${text.slice(0, 60)}…` : text);
