import { anyOf, bitOf, packed, wordOf, wordsFor } from "./bits.ts";
import { withAnswers } from "../contract/answeredCalls.ts";
import { withParts } from "../contract/callParts.ts";
import type { Store } from "../store/database.ts";
import type { SqlFragment } from "../store/sql.ts";
import { ensureDerived } from "../store/derived.ts";
import { editedFilesAsked } from "./editedFiles.ts";
import { reasonColumns, type AnsweringTurns, type Later, type SharedReads } from "./sharedReads.ts";
import type { Guard } from "./rolloutGuards.ts";
import { partsOf, turnWords, wordsOnce, type TurnCondition } from "./turnConditions.ts";
import { unmetConditions } from "./unmet.ts";
import { scopeCondition, type EvidenceScope } from "../store/split.ts";

/** Conditions that are tried on the rollouts of a scope together. */
export interface Conditions {
  readonly scope: EvidenceScope;
  /** Per condition SQL over the columns of `reads`, of the predicate compiler, that has to hold all together. */
  readonly conditions: readonly (readonly string[])[];
  readonly reads: SharedReads;
}

/**
 * A query of one row per rollout of the scope, with `rid`, `columns` and `v0`, `v1` … for the conditions, which reads the turns
 * once for all of them; without the rows that every condition denies when that is asked. NULL is a condition without a value. With
 * `inWords` the rows have, in place of these columns, a bit per condition in words: `held0` …, where it holds, and `open0` …, where it
 * has no value. The derived tables that it reads are filled now.
 */
export async function verdictsOf(
  store: Store,
  { scope, conditions, reads }: Conditions,
  {
    columns = [],
    withoutDenied = false,
    inWords = false,
  }: {
    readonly columns?: readonly string[];
    readonly withoutDenied?: boolean;
    readonly inWords?: boolean;
  } = {},
): Promise<SqlFragment> {
  for (const { table } of reads.derived) await ensureDerived(store, table);
  if (reads.asksForFiles) await ensureDerived(store, "actions");
  const where = scopeCondition(scope);
  // What a single condition denies is removed before anything is joined; there is nothing to keep in a table.
  const guards = withoutDenied ? [] : guardsOf(reads);
  const joined = [
    rolloutValues(reads, where.sql),
    ...reads.derived.map(
      ({ table, alias }) =>
        `JOIN (SELECT ${[`${alias}.rid`, ...reads.columns(alias)].join(", ")} FROM ${table} ${alias}) ${alias} ON ${alias}.rid = r.rid`,
    ),
  ];
  const resolved = conditions.map((all) => all.map((sql) => reads.resolved(sql)));
  // In parts, so that the tables of a single condition are each cut down before they are joined.
  const kept = resolved.map((all) => `(${all.map((sql) => `(${sql}) IS NOT FALSE`).join(" AND ")})`);
  const filter = withoutDenied ? ` WHERE ${kept.join(" OR ")}` : "";
  const verdicts = resolved.map((all, i) => `(${all.join(" AND ")}) AS v${i}`);
  const isSplit = inWords && !withoutDenied;
  const params = reads.reasonValues.length === 0 ? where.params : [...where.params, ...where.params];
  const unmet = await unmetConditions(store, scope, reads.turns.all);
  const tables = turnTables(reads, { where: where.sql, unmet, guards });
  const selected = (columnsOf: readonly string[]): string =>
    `SELECT ${["r.rid", ...columnsOf].join(", ")} FROM ${joined.join(" ")}`;
  const packedOf = (rows: string): string => (inWords ? packedVerdicts(conditions.length, rows) : rows);
  if (tables.length === 0)
    return { sql: packedOf(`${selected([...columns, ...verdicts])}${filter}`), params };
  const scoped = tables.filter(({ readsScope }) => readsScope).flatMap(() => where.params);
  const split = isSplit ? splitVerdicts(conditions, resolved, reads) : undefined;
  const rows = `${selected([...columns, ...(split?.columns ?? verdicts)])} LEFT JOIN m ON m.rid = r.rid${filter}`;
  return {
    sql: `WITH ${tables.map(({ name, as }) => `${name} AS ${as}`).join(", ")} ${split?.words(rows) ?? packedOf(rows)}`,
    params: [...scoped, ...params],
  };
}

/** A row per rollout with a bit per condition of `v0` … in words. */
function packedVerdicts(count: number, verdicts: string): string {
  const all = Array.from({ length: count }, (_, i) => `v${i}`);
  const columns = [
    "rid",
    ...packed(all).map((sql, word) => `${sql} AS held${word}`),
    ...packed(all.map((v) => `${v} IS NULL`)).map((sql, word) => `${sql} AS open${word}`),
  ];
  return `SELECT ${columns.join(", ")} FROM (${verdicts})`;
}

/**
 * The same where nearly all rollouts are in no table of turns and files: there most conditions come to FALSE at once, and what is
 * left of the others is tried on all. Those as they are, a single CASE tries on the few that are in `m`.
 */
function splitVerdicts(
  conditions: readonly (readonly string[])[],
  resolved: readonly (readonly string[])[],
  reads: SharedReads,
): { readonly columns: readonly string[]; readonly words: (rows: string) => string } {
  const all = conditions.map((parts, i) => {
    const unmet = parts.map((sql) => reads.unmet(sql));
    const met = resolved[i] ?? [];
    return {
      met: `(${met.join(" AND ")})`,
      unmet: unmet.includes("FALSE") ? undefined : `(${unmet.join(" AND ")})`,
      isAsked: unmet.some((sql, part) => sql !== met[part]),
    };
  });
  const ofAsked = (sql: (one: (typeof all)[number]) => string): string[] =>
    all.map((one) => (one.isAsked ? sql(one) : "FALSE"));
  const met = ofAsked((one) => one.met);
  const [held, open] = [met, met.map((sql) => (sql === "FALSE" ? sql : `${sql} IS NULL`))].map(packed);
  const isIn = "m.rid IS NOT NULL";
  const columns = [
    ...all.flatMap(({ unmet }, i) => (unmet === undefined ? [] : [`${unmet} AS v${i}`])),
    ...(held ?? []).map((sql, word) => `(CASE WHEN ${isIn} THEN ${sql} END) AS h${word}`),
    ...(open ?? []).map((sql, word) => `(CASE WHEN ${isIn} THEN ${sql} END) AS o${word}`),
  ];
  const known = (wanted: boolean, of: (v: string) => string): readonly string[] =>
    packed(
      all.map(({ unmet, isAsked }, i) => (unmet !== undefined && isAsked === wanted ? of(`v${i}`) : "FALSE")),
    );
  const wordsOf = (name: string, from: string, of: (v: string) => string): string[] => {
    const [own, asked] = [known(false, of), known(true, of)];
    return own.map(
      (sql, word) => `${sql} | coalesce(${from}${word}, ${asked[word] ?? "0"}) AS ${name}${word}`,
    );
  };
  const words = ["rid", ...wordsOf("held", "h", (v) => v), ...wordsOf("open", "o", (v) => `${v} IS NULL`)];
  return { columns, words: (rows) => `SELECT ${words.join(", ")} FROM (${rows})` };
}

/** The different guards of conditions on turns, each of which is a bit of a rollout. */
const guardsOf = (reads: SharedReads): readonly string[] => [
  ...new Set(reads.tried.filter((guard) => guard !== undefined)),
];

/** What a turn that may be one is kept with, so that its text is not read again: no more than what is asked of it. */
const turnColumns = ["idx", "role", "text", "tool", "args", "ok", "tokens", "ms"] as const;
type TurnColumn = (typeof turnColumns)[number];
const columnsAsked = (answering: readonly AnsweringTurns[]): readonly TurnColumn[] =>
  turnColumns.filter(
    (name) =>
      name === "idx" || answering.some(({ where }) => new RegExp(`\\bx\\."?${name}\\b`).test(where.join())),
  );
const turnStruct = (columns: readonly TurnColumn[]): string =>
  `struct_pack(${columns.map((name) => `"${name}" := "${name}"`).join(", ")})`;

/** The rollouts of a scope as `r`, with the values that are read of their table. */
function rolloutValues(reads: SharedReads, where: string): string {
  const columns = ["r.rid", ...reads.columns("r")];
  const values = reads.reasonValues;
  if (values.length === 0) return `(SELECT ${columns.join(", ")} FROM rollouts r WHERE ${where}) r`;
  const names = reasonColumns.map((name) => `r.${name}`);
  const same = reasonColumns.map((name) => `d.${name} IS NOT DISTINCT FROM r.${name}`);
  return `(SELECT ${[...columns, `d.* EXCLUDE (${reasonColumns.join(", ")})`].join(", ")} FROM rollouts r
           JOIN (SELECT ${[...names, ...values].join(", ")} FROM (SELECT DISTINCT ${names.join(", ")} FROM rollouts r WHERE ${where}) r) d
           ON ${same.join(" AND ")} WHERE ${where}) r`;
}

interface TurnTable {
  readonly name: string;
  readonly as: string;
  /** Whether it asks which rollouts are in the scope. */
  readonly readsScope?: boolean;
}

interface Asked {
  /** Of the rollouts of the scope. */
  readonly where: string;
  /** Conditions that no turn meets. */
  readonly unmet: ReadonlySet<TurnCondition>;
  /** Of the rollouts on which some conditions are tried, as SQL; each is a bit of a rollout. */
  readonly guards: readonly string[];
}

/** What is asked of turns and of edited files, as tables with a row per rollout; those behind the first two read them. */
function turnTables(reads: SharedReads, of: Asked): readonly TurnTable[] {
  const { unmet, where } = of;
  const { answering, later, turns, files } = reads;
  const { after } = later;
  const readsScope = true;
  const isUnmet = (place: number): boolean => {
    const condition = turns.all[place];
    return condition !== undefined && unmet.has(condition);
  };
  const again = answering.length > 0 || after.turns.length > 0;
  const isLater = later.turns.all.length > 0;
  const isNever = after.files.length === 0 && after.turns.every(isUnmet);
  return [
    ...(files.all.length === 0
      ? []
      : [
          {
            name: "files",
            as: `${after.files.length > 0 ? "MATERIALIZED " : ""}(${editedFilesAsked(files.all, `SELECT r.rid FROM rollouts r WHERE ${where}`)})`,
            readsScope,
          },
        ]),
    ...(turns.all.length === 0
      ? []
      : [{ name: "q", as: `${again ? "MATERIALIZED " : ""}(${turnsAsked(reads, of)})`, readsScope }]),
    ...answering.map((one) => ({
      name: one.name,
      as: isUnmet(one.place) ? "(SELECT NULL::BIGINT AS rid, 0::BIGINT AS n WHERE FALSE)" : besideSql(one),
    })),
    ...(isLater ? [{ name: "y", as: isNever ? nothingLater(later) : `(${turnsAskedLater(later)})` }] : []),
    ...joinedTable(reads),
  ];
}

/**
 * One table `m` of all that is known of turns and files, which the rollouts are joined with once. Nearly all rollouts are in none
 * of the tables. They are put together by rollout and not joined, for which the engine would set much memory aside.
 */
function joinedTable(reads: SharedReads): readonly TurnTable[] {
  const { answering, later, turns, files, counts, lasts } = reads;
  const words = (as: string, of: number): Column[] =>
    wordsFor(of).map((word) => ({ as: `${as}${word}`, sql: `b${word}` }));
  const tables: { readonly name: string; readonly columns: readonly Column[] }[] = [
    {
      name: "q",
      columns: [
        ...words("q", turns.all.length),
        ...counts.map((place) => ({ as: `n${place}`, sql: `n${place}` })),
        ...lasts.map((place) => ({ as: `m${place}`, sql: `m${place}` })),
      ],
    },
    { name: "files", columns: words("f", files.all.length) },
    ...answering.map(({ name }) => ({ name, columns: [{ as: name, sql: "n" }] })),
    { name: "y", columns: words("y", later.turns.all.length) },
  ].filter(({ columns }) => columns.length > 0);
  const [first, ...others] = tables;
  if (first === undefined) return [];
  const plain = first.columns.map(({ as, sql }) => `${sql} AS ${as}`);
  if (others.length === 0)
    return [{ name: "m", as: `(SELECT ${["rid", ...plain].join(", ")} FROM ${first.name})` }];
  const rows = tables.map(
    ({ name, columns }) =>
      `SELECT ${["rid", ...columns.map(({ as, sql }) => `${sql} AS ${as}`)].join(", ")} FROM ${name}`,
  );
  const all = tables.flatMap(({ columns }) => columns.map(({ as }) => `max(${as}) AS ${as}`));
  return [
    {
      name: "m",
      as: `(SELECT ${["rid", ...all].join(", ")} FROM (${rows.join(" UNION ALL BY NAME ")}) GROUP BY rid)`,
    },
  ];
}

interface Column {
  readonly as: string;
  readonly sql: string;
}

/** Of each rollout the number of its turns of a condition, or of pairs of one with another turn, of which something holds. */
function besideSql({ place, beside, where, least }: AnsweringTurns): string {
  const enough = `len(l${place}) >= ${least}`;
  const all = `SELECT * FROM turns WHERE rid IN (SELECT rid FROM q WHERE ${enough})`;
  const met = `SELECT rid, turn.* FROM (SELECT rid, unnest(l${place}) AS turn FROM q WHERE ${enough})`;
  const from =
    beside === "call" ? `(${withAnswers(met, all)}) x` : `(${met}) x JOIN turns y ON y.rid = x.rid`;
  return `(SELECT x.rid, count(*) AS n FROM ${from} WHERE ${where.join(" AND ")} GROUP BY x.rid)`;
}

const nothingLater = ({ turns }: Later): string =>
  `(SELECT ${["NULL::BIGINT AS rid", ...wordsFor(turns.all.length).map((word) => `0::BIGINT AS b${word}`)].join(", ")} WHERE FALSE)`;

/** The rollouts of which one of the turns meets a condition that is tried only where something else holds. */
function turnsAskedLater({ turns, after }: Later): string {
  const bits = turnWords(turns.all).map((sql, word) => `${sql} AS b${word}`);
  const rare = (["q", "files"] as const).flatMap((table) => {
    const places = table === "q" ? after.turns : after.files;
    return places.length === 0 ? [] : [`SELECT rid FROM ${table} WHERE ${anyOf("b", places)}`];
  });
  const source = withParts(
    `SELECT * FROM turns x WHERE x.rid IN (${rare.join(" UNION ALL ")})`,
    partsOf(turns.all),
  );
  const either = wordsFor(turns.all.length).map((word) => `bit_or(b${word}) AS b${word}`);
  return `SELECT rid, ${either.join(", ")} FROM (SELECT x.rid, ${bits.join(", ")} FROM (${source}) x) GROUP BY rid`;
}

/** The rollouts of a scope of which a turn meets a condition on turns. */
function turnsAsked(reads: SharedReads, { where, unmet, guards }: Asked): string {
  const { turns, counts, lasts, answering } = reads;
  const words = wordsFor(turns.all.length);
  const tried = reads.tried;
  const asked = turns.all.map((condition, place) =>
    unmet.has(condition) ? undefined : guarded(condition, guards, tried[place]),
  );
  // Most turns meet nothing.
  const bits = wordsOnce(turnWords(asked));
  const asTurn = columnsAsked(answering);
  const columns = [
    ...words.map((word) => `bit_or(b${word}) AS b${word}`),
    ...counts.map((place) => `count(*) FILTER (${anyOf("b", [place])}) AS n${place}`),
    ...lasts.map((place) => `max(idx) FILTER (${anyOf("b", [place])}) AS m${place}`),
    ...[...new Set(answering.map(({ place }) => place))].map(
      (place) => `list(${turnStruct(asTurn)}) FILTER (${anyOf("b", [place])}) AS l${place}`,
    ),
  ];
  // The engine joins with the rows of a table faster than it looks for a number among them.
  const bitsOfGuards = packed(guards).map((sql, word) => `${sql} AS g${word}`);
  const rollouts = `SELECT ${["r.rid", ...bitsOfGuards].join(", ")} FROM rollouts r WHERE ${where}`;
  const source = withParts(
    `SELECT ${["x.*", ...wordsFor(guards.length).map((word) => `g.g${word}`)].join(", ")} FROM turns x JOIN (${rollouts}) g ON g.rid = x.rid`,
    partsOf(turns.all.filter((one) => !unmet.has(one))),
  );
  const met = words.map((word) => `b${word} <> 0`).join(" OR ");
  const needed = answering.length > 0 ? asTurn : lasts.length > 0 ? (["idx"] as const) : [];
  const kept = ["x.rid", ...needed.map((name) => `x."${name}"`)];
  return `SELECT rid, ${columns.join(", ")} FROM (SELECT ${[...kept, ...bits].join(", ")} FROM (${source}) x) WHERE ${met} GROUP BY rid`;
}

/** A condition that is tried only on the rollouts of its guard, which is asked before a text is read. */
function guarded(condition: TurnCondition, guards: readonly string[], guard: Guard): TurnCondition {
  const place = guard === undefined ? -1 : guards.indexOf(guard);
  if (place < 0) return condition;
  const { conjuncts } = condition;
  const firstText = conjuncts.findIndex(({ sql }) => /"text"|call_|\w\(/.test(sql));
  const at = firstText < 0 ? conjuncts.length : firstText;
  const sql = `(x.g${wordOf(place)} & ${bitOf(place)}) <> 0`;
  return { ...condition, conjuncts: conjuncts.toSpliced(at, 0, { sql }) };
}
