import { anyOf } from "./bits.ts";
import type { DerivedTable } from "./derived.ts";
import { TurnConditions, type TurnCondition } from "./turnConditions.ts";

/** A table with a row per rollout, by its alias. */
export type RolloutTable = "r" | "f" | "a";
const derived = { f: "features", a: "actions" } as const satisfies Record<string, DerivedTable>;

/**
 * What many conditions on rollouts read, gathered while they are compiled, so that it is read once for all of them: values of
 * one table, computed where that table is scanned, and what is asked of all turns. The conditions read the columns of `r`,
 * `f`, `a` and `q`, the conditions on turns those of `x`, and evidence those of `t`.
 */
export class SharedReads {
  readonly #names = new Map<string, { readonly table: RolloutTable; readonly name: string }>();
  readonly #carried = new Set<string>();
  readonly #counts = new Set<number>();
  readonly turns = new TurnConditions();
  /** What turns show a label: conditions on `t`, a turn of a rollout that carries it. */
  readonly evidence = new TurnConditions();

  /** The column that holds a value of one table. */
  of(table: RolloutTable, sql: string): string {
    return `${table}.${this.#name(table, sql)}`;
  }

  /** The same for evidence: the column comes along to the turns. */
  carried(table: RolloutTable, sql: string): string {
    const name = this.#name(table, sql);
    this.#carried.add(name);
    return `t.${name}`;
  }

  /** Whether a condition holds for one of the turns. */
  anyTurn(condition: TurnCondition): string {
    return `coalesce(${anyOf("q.b", [this.turns.add(condition)])}, FALSE)`;
  }

  /** For how many of the turns it holds. */
  turnCount(condition: TurnCondition): string {
    const place = this.turns.add(condition);
    this.#counts.add(place);
    return `coalesce(q.n${place}, 0)`;
  }

  /** The derived tables that are read, with their alias. */
  get derived(): readonly { readonly table: DerivedTable; readonly alias: "f" | "a" }[] {
    return (["f", "a"] as const)
      .filter((alias) => [...this.#names.values()].some((read) => read.table === alias))
      .map((alias) => ({ table: derived[alias], alias }));
  }

  /** The columns of a table, as they are written behind SELECT. */
  columns(table: RolloutTable): readonly string[] {
    return [...this.#names].flatMap(([key, read]) =>
      read.table === table ? [`${key.slice(table.length)} AS ${read.name}`] : [],
    );
  }

  /** The columns that evidence reads, as they are written behind SELECT over the joined tables. */
  get carriedColumns(): readonly string[] {
    return [...this.#names.values()].flatMap(({ table, name }) =>
      this.#carried.has(name) ? [`${table}.${name}`] : [],
    );
  }

  /** The places of the conditions whose turns are counted. */
  get counts(): readonly number[] {
    return [...this.#counts];
  }

  #name(table: RolloutTable, sql: string): string {
    const key = `${table}${sql}`;
    const name = this.#names.get(key)?.name ?? `c${this.#names.size}`;
    this.#names.set(key, { table, name });
    return name;
  }
}
