/** What many expressions ask of all turns of a rollout: aggregates over `turns x`, each computed once. */
export class TurnColumns {
  readonly #names = new Map<string, string>();

  /** The name of the column that holds an aggregate. */
  add(aggregate: string): string {
    const name = this.#names.get(aggregate) ?? `h${this.#names.size}`;
    this.#names.set(aggregate, name);
    return name;
  }

  /** The columns as they are written behind SELECT; empty when nothing asked for one. */
  get select(): readonly string[] {
    return [...this.#names].map(([aggregate, name]) => `${aggregate} AS ${name}`);
  }
}
