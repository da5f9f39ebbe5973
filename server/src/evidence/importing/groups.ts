import type { Store } from "../store/database.ts";
import { numberOf, stringOf } from "../store/rows.ts";

/** How many runs are remembered beyond a commit; most imports go through their runs one after another. */
const rememberedRuns = 8;

/** Numbers the samples of groups whose source does not, across files and calls. */
export class SampleNumbers {
  readonly #store: Store;
  /** The run that was entered last comes last. */
  readonly #runs = new Map<string, Map<string, number>>();

  constructor(store: Store) {
    this.#store = store;
  }

  /** To be called before records of the run come: reads what the archive has of it. */
  async enter(run: string): Promise<void> {
    const known = this.#runs.get(run) ?? (await this.#numbersOf(run));
    this.#runs.delete(run);
    this.#runs.set(run, known);
  }

  async #numbersOf(run: string): Promise<Map<string, number>> {
    const rows = await this.#store.query({
      sql: `SELECT step, "group", (max(sample) + 1)::BIGINT AS next FROM rollouts WHERE run = ? GROUP BY step, "group"`,
      params: [run],
    });
    return new Map(
      rows.map((row) => [keyOf(stringOf(row, "group"), numberOf(row, "step")), numberOf(row, "next")]),
    );
  }

  next(run: string, group: string, step: number): number {
    const numbers = this.#runs.get(run);
    if (numbers === undefined) throw new Error(`The run ${run} was not entered.`);
    const key = keyOf(group, step);
    const sample = numbers.get(key) ?? 0;
    numbers.set(key, sample + 1);
    return sample;
  }

  /** Everything numbered is in the archive, where runs that were left long ago can be read again. */
  committed(): void {
    for (const run of [...this.#runs.keys()].slice(0, -rememberedRuns)) this.#runs.delete(run);
  }

  /** Forgets what was read, because records were taken out. */
  forget(): void {
    this.#runs.clear();
  }
}

const keyOf = (group: string, step: number): string => `${step}\u0000${group}`;
