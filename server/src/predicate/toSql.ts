import { answeredSql, withAnswers } from "../evidence/contract/answeredCalls.ts";
import { anyPart, partColumn, type CallPart } from "../evidence/contract/callParts.ts";
import { needsBeyondAscii, requiredLiterals } from "../expression/regexLiteral.ts";
import type { Conjunct, TurnCondition } from "../evidence/labels/turnConditions.ts";
import type { Rare, RolloutTable, SharedReads } from "../evidence/labels/sharedReads.ts";
import { choice, choiceOf, conversion, literal, signs, text, variable } from "./constantSql.ts";
import { whole } from "./functionsNumber.ts";
import type { CallAt, Expr } from "./expr.ts";
import {
  asksForFiles,
  conjuncts,
  costOf,
  countIn,
  editedFileIn,
  editsFile,
  hasQuantifier,
  hasReasonPart,
  isDear,
  isFree,
  isOfOneTurn,
  lastTurnIn,
  needsArguments,
  needsParts,
  onlyReasons,
  onlyTable,
  pairIn,
  readsAnswers,
  type TurnPair,
} from "./exprReads.ts";

interface Place {
  /** Variables that stand for a turn, and the table alias each is bound to. */
  readonly turns: ReadonlyMap<string, string>;
  /** The rid of what is looked at: of the rollout, or of the turn around a quantifier. */
  readonly rid: string;
  readonly next: { alias: number };
  /** Where a value of one table of rollouts is read; in its place when left out. */
  readonly value?: (table: RolloutTable, sql: string, reasons: boolean) => string;
  /** Where the call is read that each of them answers. */
  readonly answers: ReadonlyMap<string, string>;
  /** The alias of turns that have what their calls are given as columns, and what is read of them. */
  readonly called?: { readonly alias: string; readonly parts: Set<CallPart> } | undefined;
  /** Where a condition on all turns of the rollout is left to one reading of the turns for many. */
  readonly shared?: SharedReads;
  /** Without which nothing else has to be known: other turns are tried only where it holds. */
  readonly after?: Rare | undefined;
  /** The turn whose file stands in SQL as `file`. */
  readonly fileOf?: string;
  /** Whether it is computed as a column: there the engine tries both sides of an AND on every row. */
  readonly asColumn?: boolean;
}

const turnAlias = new Map([["turn", "t"]]);
/** In the scope of a turn; `turns t` has no column for it there. */
const turnAnswers = new Map([
  [
    "turn",
    `(SELECT z.answers FROM (${answeredSql("SELECT * FROM turns")}) z WHERE z.rid = t.rid AND z.idx = t.idx)`,
  ],
]);
const none: ReadonlyMap<string, string> = new Map();

/**
 * A checked expression as DuckDB SQL over `rollouts r`, the derived tables `features f` and `actions a` (joined on rid)
 * and, in the scope of a turn, `turns t`; over groups, `groups g`. Constants are inlined as literals, so that the text needs
 * no parameters.
 */
export function toSql(e: Expr): string {
  return write(e, { turns: turnAlias, answers: turnAnswers, rid: "r.rid", next: { alias: 1 } });
}

/** A condition on rollouts over the columns of what many of them read together, as what has to hold all together. */
export function sharedSql(e: Expr, reads: SharedReads): readonly string[] {
  const value: Place["value"] = (...read) => reads.of(...read);
  const at: Place = { turns: none, answers: none, rid: "r.rid", next: { alias: 1 }, value, shared: reads };
  const all = tableAt(e, at) === undefined ? conjuncts(e) : [e];
  // What the rollout's own row says is known before a turn is read.
  const own = all.flatMap((part) => (onlyTable(part) === "r" && !isDear(part) ? [toSql(part)] : []));
  return reads.where(own, () => together(all, { ...at, shared: reads }));
}

/** What has to hold all together: one part may hold of so few rollouts that turns are tried for the others only there. */
function together(all: readonly Expr[], at: SharedPlace): readonly string[] {
  const rare = at.after === undefined ? all.map(rarely) : [];
  const i = rare.findIndex((found) => found !== undefined);
  const after = rare[i] ?? at.after;
  return all.map((part, place) => write(part, place === i ? at : { ...at, after }));
}

/** The table that an expression is computed of as a column; which files were edited is asked for all conditions at once. */
const tableAt = (e: Expr, at: Place): RolloutTable | undefined =>
  at.value === undefined || (isShared(at) && asksForFiles(e)) ? undefined : onlyTable(e);

type Quantifier = Extract<Expr, { op: "quantifier" }>;

/** What a condition holds for only where one of it does, and that of few rollouts: a turn or a file that matches a pattern. */
function rarely(e: Expr): Rare | undefined {
  if (e.op === "and")
    return conjuncts(e)
      .map(rarely)
      .find((found) => found !== undefined);
  if (e.op === "or") {
    const [left, right] = [rarely(e.left), rarely(e.right)];
    return left === undefined || right === undefined
      ? undefined
      : { turns: [...left.turns, ...right.turns], files: [...left.files, ...right.files] };
  }
  // What needs a transcript has no value without one; there, no condition on turns holds, whenever it is tried.
  if (e.op === "choose") return e.other.op === "const" && e.other.value === null ? rarely(e.then) : undefined;
  const file = fileCondition(e);
  if (file !== undefined) return { turns: [], files: [file] };
  return e.op === "quantifier" && e.which === "exists" && isOfOneTurn(e.body, e.turn) && isDear(e.body)
    ? { turns: [turnCondition(e.turn, conjuncts(e.body))], files: [] }
    : undefined;
}

/** What has to hold of one of the files that the rollout edited, where an expression asks just that, over `file`. */
function fileCondition(e: Expr): readonly Conjunct[] | undefined {
  const source = editsFile(e);
  if (source !== undefined)
    return [{ sql: `regexp_matches(file, ${text(source)})`, pattern: { text: "file", source } }];
  if (e.op !== "quantifier") return undefined;
  const inList: Place = { turns: none, answers: none, rid: "", next: { alias: 1 }, fileOf: e.turn };
  return editedFileIn(e)?.map((part) => conjunct(part, inList));
}

/** The place of a condition on turns among the evidence of what many conditions read together. */
export function evidencePlace(e: Expr, reads: SharedReads): number {
  const value: Place["value"] = (table, sql) => reads.ofEvidence(table, sql);
  const called = { alias: "t", parts: new Set<CallPart>() };
  const answers = new Map([["turn", "t.answers"]]);
  const at: Place = { turns: turnAlias, answers, rid: "t.rid", next: { alias: 1 }, value, called };
  const condition = { conjuncts: oneByOne(conjuncts(e), at), parts: called.parts };
  return reads.evidence.add({ ...condition, answers: readsAnswers(e, "turn") });
}

function write(e: Expr, at: Place): string {
  const table = tableAt(e, at);
  if (at.value !== undefined && table !== undefined && !(table === "r" && hasReasonPart(e)))
    return at.value(
      table,
      write(e, { turns: at.turns, answers: at.answers, rid: at.rid, next: at.next, asColumn: true }),
      table === "r" && onlyReasons(e),
    );
  const file = isShared(at) ? fileCondition(e) : undefined;
  return file !== undefined && isShared(at) ? at.shared.anyFile(file) : writeOperation(e, at);
}

function writeOperation(e: Expr, at: Place): string {
  switch (e.op) {
    case "const":
      return literal(e.value, e.type === "int" ? "::BIGINT" : "");
    case "variable":
      return choiceOf(e) === undefined ? variable(e) : `${variable(e)}::VARCHAR`;
    case "turnField":
      if (e.turn === at.fileOf) return "file";
      return e.field.sql(aliasOf(e, at), partsAt(e, at));
    case "argument":
      return `json_extract_string(${aliasOf(e, at)}."args", ${text(`$."${e.key}"`)})`;
    case "component":
      return `r."components"[${write(e.key, at)}]`;
    case "hasComponent":
      return `map_contains(r."components", ${write(e.key, at)})`;
    case "not":
      return e.of.op === "isMissing" ? `(${write(e.of.of, at)} IS NOT NULL)` : `(NOT ${write(e.of, at)})`;
    case "isMissing":
      return `(${write(e.of, at)} IS NULL)`;
    case "negate":
      return e.type === "int" ? whole("-", "0", write(e.of, at)) : `(-${write(e.of, at)})`;
    case "and":
      return conjunction(e, at);
    case "or":
      return `(${write(e.left, at)} OR ${write(e.right, at)})`;
    case "arithmetic":
      return arithmetic(e, at);
    case "compare":
      return choice(e) ?? compared(e, at);
    case "in":
      if (e.list.length === 0) return `(CASE WHEN ${write(e.needle, at)} IS NOT NULL THEN FALSE END)`;
      return `(${write(e.needle, at)} IN (${e.list.map((part) => operand(part, at)).join(", ")}))`;
    case "choose": {
      const when = write(e.when, at);
      if (e.other.op === "const" && e.other.value === null)
        return `(CASE WHEN ${when} THEN ${write(e.then, at)} END)`;
      return `(CASE WHEN ${when} THEN ${write(e.then, at)} WHEN NOT ${when} THEN ${write(e.other, at)} END)`;
    }
    case "convert":
      return conversion(e, write(e.of, at));
    case "length":
      return `length(${write(e.of, at)})`;
    case "quantifier":
      return quantifier(e, at);
    case "call":
      return callSql(e, at);
  }
}

function conjunction({ left: a, right: b }: Extract<Expr, { op: "and" | "or" }>, at: Place): string {
  if (isShared(at)) return `(${together([...conjuncts(a), ...conjuncts(b)], at).join(" AND ")})`;
  const [left, right] = [write(a, at), write(b, at)];
  const both = `(${left} AND ${right})`;
  return at.asColumn === true && isDear(b) && !isDear(a)
    ? `(CASE WHEN ${left} IS NOT FALSE THEN ${both} ELSE FALSE END)`
    : both;
}

/**
 * A function with its arguments. One of a turn's values that reads the rollout as well, such as `tool_count(turn.tool)`, is
 * over two tables: its columns of the rollout come along to the turns, each where it is read.
 */
function callSql({ definition, args }: Extract<Expr, { op: "call" }>, at: Place): string {
  const { table, sql } = definition;
  if (sql === undefined) throw new Error(`${definition.name}() has no SQL.`);
  const written = args.map((a) => (a.op === "const" && a.type === "int" ? String(a.value) : write(a, at)));
  const { value } = at;
  if (value === undefined || table === undefined) return sql(written);
  // Marks stand for the arguments meanwhile, because a text in them may look like a column.
  const marks = args.map((a, i) =>
    a.op === "const" && a.type === "int" ? String(a.value) : `\u0000${i}\u0000`,
  );
  return sql(marks)
    .replaceAll(new RegExp(`\\b${table}\\.\\w+`, "g"), (column) => value(table, column, false))
    .replaceAll(/\u0000(\d+)\u0000/g, (_, i: string) => written[Number(i)] ?? "");
}

function compared(e: Extract<Expr, { op: "compare" }>, at: Place): string {
  const right = operand(e.right, at);
  const asked = isShared(at) ? countIn(e) : undefined;
  if (asked !== undefined && isShared(at) && isOfOwnTurn(asked.count))
    // The turns are looked up only where there are enough of them.
    return `(${sharedQuantifier(asked.count, at, asked.least)} ${signs[e.sign]} ${right})`;
  const bytes = bytesCompared(e);
  const whole = `(${operand(e.left, at)} ${signs[e.sign]} ${right})`;
  return bytes === undefined
    ? whole
    : `((strlen(${write(bytes, at)}) ${signs[e.sign]} ${right}) AND ${whole})`;
}

/** The text of a turn whose length has to reach a bound: how many bytes it has, at least as many, is known without reading it. */
function bytesCompared({ left, sign, right }: Extract<Expr, { op: "compare" }>): Expr | undefined {
  const isBound = right.op === "const" && (sign === ">" || sign === ">=");
  return isBound && left.op === "length" && left.of.op === "turnField" ? left.of : undefined;
}

const isOfOwnTurn = ({ turn, body }: Quantifier): boolean =>
  isFree(body, new Set([turn])) && !hasQuantifier(body);

/**
 * One side of a comparison. A number is written bare there, so that the engine can use it as a filter of the scan; in
 * arithmetic a whole number is a BIGINT, because a smaller type raises on overflow.
 */
function operand(e: Expr, at: Place): string {
  return e.op === "const" ? literal(e.value, "") : write(e, at);
}

function aliasOf({ turn, answered }: CallAt, at: Place): string {
  const alias = (answered === undefined ? at.turns : at.answers).get(turn);
  if (alias === undefined) throw new Error(`The turn ${turn} is not bound.`);
  return alias;
}

function partsAt(
  { turn, answered }: CallAt,
  { turns, called }: Place,
): ((part: CallPart) => string) | undefined {
  if (answered !== undefined || called === undefined || turns.get(turn) !== called.alias) return undefined;
  return (part) => {
    called.parts.add(part);
    return `${called.alias}.${partColumn(part)}`;
  };
}

/** Overflow, division by zero and what is no number have no value. */
function arithmetic(e: Extract<Expr, { op: "arithmetic" }>, at: Place): string {
  const [a, b] = [write(e.left, at), write(e.right, at)];
  if (e.type === "string") return `(${a} || ${b})`;
  if (e.type === "int") return whole(e.sign === "/" ? "//" : e.sign, a, b);
  const result = e.sign === "/" ? `${a} / nullif(${b}, 0)` : `${a} ${e.sign} ${b}`;
  return `(CASE WHEN isfinite(${result}) THEN ${result} END)`;
}

/**
 * A condition on turns alone is a semi-join on the rid; one that also names the rollout or a turn further out is a
 * count of its turns, because the engine answers some nested EXISTS wrongly where a value is missing.
 */
function quantifier(e: Quantifier, at: Place): string {
  if (isShared(at) && isOfOwnTurn(e)) return sharedQuantifier(e, at);
  const last = e.which === "exists" && isShared(at) ? lastTurnIn(conjuncts(e.body), e.turn) : undefined;
  if (last !== undefined && isShared(at) && last.others.every((part) => isOfOneTurn(part, e.turn)))
    return at.shared.lastTurn(turnCondition(e.turn, last.others), write(last.index, at));
  const pair = isShared(at) ? pairIn(e) : undefined;
  if (pair !== undefined && isShared(at)) return turnPair(e.turn, pair, at);
  const alias = `t${at.next.alias++}`;
  const inside: Place = {
    turns: new Map([...at.turns, [e.turn, alias]]),
    answers: new Map([...at.answers, [e.turn, `${alias}.answers`]]),
    rid: `${alias}.rid`,
    next: at.next,
    ...(at.value === undefined ? {} : { value: at.value }),
    ...(at.called === undefined ? {} : { called: at.called }),
  };
  const body = write(e.body, inside);
  const turns = readsAnswers(e.body, e.turn) ? `(${withAnswers("SELECT * FROM turns")})` : "turns";
  if (e.which === "count")
    return `(SELECT count(*) FROM ${turns} ${alias} WHERE ${alias}.rid = ${at.rid} AND ${body})`;
  const not = e.which === "all" ? "NOT " : "";
  const wanted = e.which === "all" ? `(NOT ${body})` : body;
  return isFree(e.body, new Set([e.turn]))
    ? `(${at.rid} ${not}IN (SELECT ${alias}.rid FROM ${turns} ${alias} WHERE ${wanted}))`
    : `((SELECT count(*) FROM ${turns} ${alias} WHERE ${alias}.rid = ${at.rid} AND ${wanted}) ${e.which === "all" ? "=" : ">"} 0)`;
}

function sharedQuantifier(
  { which, turn, body }: Quantifier,
  { shared: reads, after }: SharedPlace,
  least = 1,
): string {
  const wanted: Expr = which === "all" ? { op: "not", type: "bool", of: body } : body;
  const [own, answered] = [false, true].map((late) =>
    conjuncts(wanted).filter((part) => readsAnswers(part, turn) === late),
  );
  const condition = turnCondition(turn, own ?? []);
  if (answered !== undefined && answered.length > 0) {
    const later: Place = { ...ofTurn(turn), answers: new Map([[turn, "x.answers"]]) };
    const where = answered.map((part) => write(part, later));
    const met = reads.answeringTurns(condition, where, least);
    if (which === "count") return met;
    return which === "exists" ? `(${met} > 0)` : `(${met} = 0)`;
  }
  if (which === "count") return reads.turnCount(condition);
  const any = after === undefined ? reads.anyTurn(condition) : reads.anyTurnAfter(after, condition);
  return which === "exists" ? any : `(NOT ${any})`;
}

/** Whether another turn goes with one that meets a condition; few turns do, and only their rollouts are read again. */
function turnPair(turn: string, { own, other }: TurnPair, { shared: reads }: SharedPlace): string {
  const turns = new Map([
    [turn, "x"],
    [other.turn, "y"],
  ]);
  const met = conjuncts(other.body).map((part) =>
    write(part, { turns, answers: none, rid: "x.rid", next: { alias: 1 } }),
  );
  return `(${reads.turnPairs(turnCondition(turn, own), met)} > 0)`;
}

type SharedPlace = Place & { readonly shared: SharedReads };
const isShared = (at: Place): at is SharedPlace => at.shared !== undefined;

const ofTurn = (turn: string): Place => ({
  turns: new Map([[turn, "x"]]),
  answers: none,
  rid: "x.rid",
  next: { alias: 1 },
});

/** What has to hold of a turn, over `x`. */
function turnCondition(turn: string, all: readonly Expr[]): TurnCondition {
  const called = { alias: "x", parts: new Set<CallPart>() };
  return { conjuncts: oneByOne(all, { ...ofTurn(turn), called }), parts: called.parts, answers: false };
}

/**
 * What has to hold one after the other for a condition on a turn of which only its truth counts: what reads text comes last,
 * and first of all, whether there is a call that is given something, where the condition needs that.
 */
function oneByOne(all: readonly Expr[], at: Place): readonly Conjunct[] {
  const parts = all.toSorted((a, b) => costOf(a) - costOf(b));
  const alias = [...at.turns.values()][0] ?? "";
  return [
    ...(all.some(needsArguments) ? [{ sql: `(${alias}."args" IS NOT NULL)` }] : []),
    ...(all.some(needsParts) && at.called !== undefined ? [{ sql: `${alias}.${anyPart}` }] : []),
    ...parts.map((part) => conjunct(part, at)),
  ];
}

/** A text that every match holds is looked for faster than several expressions are together. */
function conjunct(e: Expr, at: Place): Conjunct {
  const sql = write(e, at);
  if (e.op !== "call" || e.definition.name !== "matches") return { sql };
  const [of, pattern] = e.args;
  if (of === undefined || pattern?.op !== "const" || typeof pattern.value !== "string") return { sql };
  const within = write(of, at);
  const literals = requiredLiterals(pattern.value);
  if (literals.length > 0)
    return { sql, needs: `(${literals.map((part) => `contains(${within}, ${text(part)})`).join(" OR ")})` };
  const beyond = needsBeyondAscii(pattern.value) ? { needs: `(strlen(${within}) <> length(${within}))` } : {};
  return { sql, pattern: { text: within, source: pattern.value }, ...beyond };
}
