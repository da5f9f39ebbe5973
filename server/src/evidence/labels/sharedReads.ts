import { anyOf } from "./bits.ts";
import type { DerivedTable } from "../store/derived.ts";
import { RolloutGuards, type Guard } from "./rolloutGuards.ts";
import { TurnConditions, type Conjunct, type TurnCondition } from "./turnConditions.ts";

/** A table with a row per rollout, by its alias. */
export type RolloutTable = "r" | "f" | "a";
const derived = { f: "features", a: "actions" } as const satisfies Record<string, DerivedTable>;

/** Columns of `rollouts` with few different texts: what is asked of them is answered once for each combination. */
export const reasonColumns = ["outcome", "stop_reason", "unknown_reason"] as const;

interface Read {
  readonly table: RolloutTable;
  readonly sql: string;
  readonly reasons: boolean;
  readonly name: string;
}

/** Turns that meet the condition at `place`, and `where`, over `x` and what it is looked at beside. */
export interface AnsweringTurns {
  readonly place: number;
  /** What it is looked at beside: the call that it answers, or any turn of its rollout as `y`. */
  readonly beside: "call" | "turn";
  readonly where: readonly string[];
  /** How many turns of a rollout have to meet the condition: where fewer do, it is the same as if none did. */
  readonly least: number;
  /** Of the table that holds how many there are in each rollout. */
  readonly name: string;
}

/** What holds of few rollouts: that one of these conditions does for a turn, or one of those for a file that was edited. */
export interface Rare {
  readonly turns: readonly TurnCondition[];
  readonly files: readonly (readonly Conjunct[])[];
}

/** A condition on turns that only decides where one of the others holds, each at its place, for a turn or a file. */
interface LaterTurns {
  readonly turns: readonly number[];
  readonly files: readonly number[];
  readonly condition: TurnCondition;
  /** Of what it was compiled within. */
  readonly guard: Guard;
}

export interface Later {
  readonly turns: TurnConditions;
  readonly after: Pick<LaterTurns, "turns" | "files">;
}

/** What is asked of turns and files, as it stands in a condition: no text can have it, for a NUL ends none in SQL. */
const mark = (i: number): string => `\u0000asked${i}\u0000`;
const marks = /\u0000asked(\d+)\u0000/g;

/** What is asked of turns and files. */
interface Asked {
  /** SQL over the columns of `m`. Some of it is only known when all conditions are. */
  readonly met: () => string;
  /** What it comes to in a rollout of which no turn and no file meets anything. */
  readonly unmet: "FALSE" | "0";
}

/**
 * What many conditions on rollouts read, gathered while they are compiled, so that it is read once for all of them: values of
 * one table, computed where that table is scanned, and what is asked of all turns. The conditions read the columns of `r`,
 * `f`, `a` and, once they are resolved, `m`; the conditions on turns those of `x`, and evidence those of `t`.
 */
export class SharedReads {
  readonly #names = new Map<string, Read>();
  readonly #carried = new Map<string, Read>();
  readonly #counts = new Set<number>();
  readonly #lasts = new Set<number>();
  readonly #answering = new Map<string, AnsweringTurns>();
  readonly #later: LaterTurns[] = [];
  readonly #marked: Asked[] = [];
  readonly #marks = new Map<string, string>();
  readonly turns = new TurnConditions();
  /** On which rollouts each of them is tried. */
  readonly guards = new RolloutGuards();
  /** Conditions on `file`, one of the files that a rollout edited. */
  readonly files = new TurnConditions();
  /** What turns show a label: conditions on `t`, a turn of a rollout that carries it. */
  readonly evidence = new TurnConditions();

  /** The column that holds a value of one table; `reasons` says that it depends on nothing but `reasonColumns`. */
  of(table: RolloutTable, sql: string, reasons = false): string {
    return `${table}.${this.#name(table, sql, reasons)}`;
  }

  /** The same for evidence: it is read only of the rollouts that carry a label. */
  ofEvidence(table: RolloutTable, sql: string): string {
    const key = `${table}${sql}`;
    const read = this.#carried.get(key) ?? { table, sql, reasons: false, name: `e${this.#carried.size}` };
    this.#carried.set(key, read);
    return `t.${read.name}`;
  }

  /**
   * Compiles conditions on turns on which nothing depends where one of `needs`, over `rollouts r`, is false: there they are not
   * tried.
   */
  where<T>(needs: readonly string[], compiled: () => T): T {
    return this.guards.within(needs, compiled);
  }

  /** Whether a condition, as conjuncts over `file`, holds for one of the files that a rollout edited. */
  anyFile(conjuncts: readonly Conjunct[]): string {
    const place = this.#file(conjuncts);
    return this.#mark(`file ${place}`, { met: () => holds("f", place), unmet: "FALSE" });
  }

  /** Whether a condition holds for one of the turns. */
  anyTurn(condition: TurnCondition): string {
    const place = this.#asked(condition);
    return this.#mark(`turn ${place}`, { met: () => holds("q", place), unmet: "FALSE" });
  }

  /**
   * Whether a condition holds for one of the turns, where something holds that seldom does: nothing is known of it elsewhere. It
   * is tried on those few rollouts, unless it is tried on all turns anyway.
   */
  anyTurnAfter({ turns, files }: Rare, condition: TurnCondition): string {
    const places = {
      turns: turns.map((one) => this.#asked(one)),
      files: files.map((one) => this.#file(one)),
    };
    const i = this.#later.push({ ...places, condition, guard: this.guards.current });
    const met = (): string => {
      const known = this.turns.placeOf(condition);
      return known === undefined ? holds("y", this.later.turns.add(condition)) : holds("q", known);
    };
    return this.#mark(`later ${i}`, { met, unmet: "FALSE" });
  }

  #mark(name: string, asked: Asked): string {
    const known = this.#marks.get(name) ?? mark(this.#marked.push(asked) - 1);
    this.#marks.set(name, known);
    return known;
  }

  /** A condition as it is asked of the database, when all have been gathered. */
  resolved(sql: string): string {
    return sql.replaceAll(marks, (_, i: string) => this.#marked[Number(i)]?.met() ?? "");
  }

  /** The same of a rollout that is not among those of `m`: no turn of it meets a condition, and no file. */
  unmet(sql: string): string {
    return sql.replaceAll(marks, (_, i: string) => this.#marked[Number(i)]?.unmet ?? "");
  }

  /** What is tried only on the rollouts in which one of the conditions at some places holds for a turn, or for a file. */
  get later(): Later {
    const turns = new TurnConditions();
    const open = this.#later.filter(({ condition }) => this.turns.placeOf(condition) === undefined);
    for (const { condition } of open) turns.add(condition);
    const after = {
      turns: [...new Set(open.flatMap((one) => one.turns))],
      files: [...new Set(open.flatMap((one) => one.files))],
    };
    return { turns, after };
  }

  /** For how many of the turns it holds. */
  turnCount(condition: TurnCondition): string {
    const place = this.#asked(condition);
    this.#counts.add(place);
    return this.#mark(`count ${place}`, { met: () => `coalesce(m.n${place}, 0)`, unmet: "0" });
  }

  /** Whether a condition holds for the turn at an index after which no turn comes. */
  lastTurn(condition: TurnCondition, index: string): string {
    const place = this.#asked(condition);
    this.#lasts.add(place);
    const met = (): string => `coalesce(m.m${place} = ${index}, FALSE)`;
    return this.#mark(`last ${place} ${index}`, { met, unmet: "FALSE" });
  }

  /**
   * For how many of the turns a condition holds, and besides what has to hold of the call that each answers. Few turns meet the
   * condition, and only of the rollouts in which at least `least` do it is looked up which call was answered.
   */
  answeringTurns(condition: TurnCondition, where: readonly string[], least: number): string {
    return this.#beside("call", condition, { where, least });
  }

  /** For how many pairs of a turn `x` that meets a condition, which few do, and a turn `y` of its rollout something holds. */
  turnPairs(condition: TurnCondition, where: readonly string[]): string {
    return this.#beside("turn", condition, { where, least: 1 });
  }

  #beside(
    beside: AnsweringTurns["beside"],
    condition: TurnCondition,
    { where, least }: Pick<AnsweringTurns, "where" | "least">,
  ): string {
    const place = this.#asked(condition);
    const key = JSON.stringify([beside, place, where, least]);
    const name = `s${this.#answering.size}`;
    const turns = this.#answering.get(key) ?? { place, beside, where, least, name };
    this.#answering.set(key, turns);
    return this.#mark(turns.name, { met: () => `coalesce(m.${turns.name}, 0)`, unmet: "0" });
  }

  /** All that was gathered, as data: two of these that are equal read the same. */
  get gathered(): unknown {
    const asked = ({ all }: TurnConditions): unknown => all.map(({ conjuncts }) => conjuncts);
    return [
      ...[this.#names, this.#carried, this.#answering].map((reads) => [...reads.values()]),
      ...[this.#counts, this.#lasts].map((places) => [...places]),
      this.#later.map(({ turns, files, condition }) => [turns, files, condition.conjuncts]),
      asked(this.files),
      asked(this.turns),
      asked(this.evidence),
    ];
  }

  get answering(): readonly AnsweringTurns[] {
    return [...this.#answering.values()];
  }

  /** Whether conditions ask for edited files, which are in the table `actions`. */
  get asksForFiles(): boolean {
    return this.files.all.length > 0;
  }

  /** The derived tables that conditions read, with their alias. */
  get derived(): readonly { readonly table: DerivedTable; readonly alias: "f" | "a" }[] {
    return derivedIn([...this.#names.values()]);
  }

  /** The derived tables that evidence reads. */
  get derivedOfEvidence(): readonly DerivedTable[] {
    return derivedIn([...this.#carried.values()]).map(({ table }) => table);
  }

  /**
   * What some conditions of evidence read of rollouts: the names of the columns, and the tables that have them, joined to the `rid`
   * of `to`.
   */
  evidenceColumns(
    to: string,
    conditions: readonly Pick<TurnCondition, "conjuncts">[],
  ): { readonly names: readonly string[]; readonly joins: readonly string[] } {
    const asked = new Set(
      conditions.flatMap(({ conjuncts }) => conjuncts.flatMap(({ sql }) => sql.match(/\bt\.e\d+\b/g) ?? [])),
    );
    const reads = [...this.#carried.values()].filter(({ name }) => asked.has(`t.${name}`));
    const joins = (["r", "f", "a"] as const).flatMap((alias) => {
      const columns = reads
        .filter(({ table }) => table === alias)
        .map(({ sql, name }) => `${sql} AS ${name}`);
      const table = alias === "r" ? "rollouts" : derived[alias];
      return columns.length === 0
        ? []
        : [
            `JOIN (SELECT ${[`${alias}.rid`, ...columns].join(", ")} FROM ${table} ${alias}) ${alias} ON ${alias}.rid = ${to}.rid`,
          ];
    });
    return { names: reads.map(({ table, name }) => `${table}.${name}`), joins };
  }

  /** On which rollouts each condition on turns is tried, by its place. */
  get tried(): readonly Guard[] {
    for (const { condition, guard } of this.#later) {
      const known = this.turns.placeOf(condition);
      if (known !== undefined) this.guards.add(known, guard);
    }
    return this.turns.all.map((_, place) => this.guards.of(place));
  }

  /** The columns of a table, as they are written behind SELECT. */
  columns(table: RolloutTable): readonly string[] {
    return this.#columns((read) => read.table === table && !this.#byReason(read));
  }

  /** Those of `rollouts` that are computed once per combination of the reasons, as they are written over `rollouts r`. */
  get reasonValues(): readonly string[] {
    return this.#columns((read) => this.#byReason(read));
  }

  /** The places of the conditions whose turns are counted. */
  get counts(): readonly number[] {
    return [...this.#counts];
  }

  /** The conditions of which it is asked at which turn they hold last. */
  get lasts(): readonly number[] {
    return [...this.#lasts];
  }

  /** Telling the combinations apart costs as much as a few values. */
  #byReason({ reasons }: Read): boolean {
    return reasons && [...this.#names.values()].filter((read) => read.reasons).length > 3;
  }

  #columns(wanted: (read: Read) => boolean): readonly string[] {
    return [...this.#names.values()].flatMap((read) => (wanted(read) ? [`${read.sql} AS ${read.name}`] : []));
  }

  #file(conjuncts: readonly Conjunct[]): number {
    return this.files.add({ conjuncts, parts: new Set(), answers: false });
  }

  #asked(condition: TurnCondition): number {
    const place = this.turns.add(condition);
    this.guards.add(place, this.guards.current);
    return place;
  }

  #name(table: RolloutTable, sql: string, reasons: boolean): string {
    const key = `${table}${sql}`;
    const read = this.#names.get(key) ?? { table, sql, reasons, name: `c${this.#names.size}` };
    this.#names.set(key, read);
    return read.name;
  }
}

/** Whether the condition at a place does, in the words of turns (q), of turns that are asked later (y) or of files (f). */
const holds = (words: "q" | "y" | "f", place: number): string =>
  `coalesce(${anyOf(`m.${words}`, [place])}, FALSE)`;

const derivedIn = (
  reads: readonly Read[],
): readonly { readonly table: DerivedTable; readonly alias: "f" | "a" }[] =>
  (["f", "a"] as const)
    .filter((alias) => reads.some(({ table }) => table === alias))
    .map((alias) => ({ table: derived[alias], alias }));
