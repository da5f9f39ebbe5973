import type { CallPart } from "../evidence/contract/callParts.ts";
import { reasonColumns, type RolloutTable } from "../evidence/labels/sharedReads.ts";
import { type Expr, partsOf } from "./expr.ts";

// What an expression reads, of which turns and tables, and how long that takes: by this toSql decides where it is tried.

/** Whether an expression names nothing but a turn, and not the call that it answers. */
export const isOfOneTurn = (e: Expr, turn: string): boolean =>
  isFree(e, new Set([turn])) && !hasQuantifier(e) && !readsAnswers(e, turn);

/** Whether an expression names nothing but turns that are bound in it. */
export function isFree(e: Expr, bound: ReadonlySet<string>): boolean {
  if (e.op === "turnField" || e.op === "argument") return bound.has(e.turn);
  if (e.op === "quantifier") return isFree(e.body, new Set([...bound, e.turn]));
  if (e.op === "variable") return e.type === "turns";
  if (e.op === "component" || e.op === "hasComponent") return false;
  if (e.op === "call" && e.definition.table !== undefined) return false;
  return partsOf(e).every((part) => isFree(part, bound));
}

/** Whether an expression reads the call that a turn answers. */
export const readsAnswers = (e: Expr, turn: string): boolean =>
  ((e.op === "turnField" || e.op === "argument") && e.answered === true && e.turn === turn) ||
  partsOf(e).some((part) => readsAnswers(part, turn));

export const hasQuantifier = (e: Expr): boolean => e.op === "quantifier" || partsOf(e).some(hasQuantifier);

/** Whether a condition never holds of a turn whose call is given nothing. */
export const needsArguments = (e: Expr): boolean =>
  needs(e, (leaf) => leaf.op === "argument" || leaf.field.fields.includes("turns.args"));

/** Whether it never holds of a turn whose call is given no command and writes nothing. */
export const needsParts = (e: Expr): boolean =>
  needs(e, (leaf) => leaf.op === "turnField" && parts.has(leaf.field.name));
const parts: ReadonlySet<string> = new Set<CallPart>(["command", "written"]);

type CallRead = Extract<Expr, { op: "argument" | "turnField" }>;

/** Whether a condition never holds where what `isMissing` says has no value. */
function needs(e: Expr, isMissing: (leaf: CallRead) => boolean): boolean {
  if (e.op === "and") return needs(e.left, isMissing) || needs(e.right, isMissing);
  if (e.op === "or") return needs(e.left, isMissing) && needs(e.right, isMissing);
  return misses(e, isMissing);
}

/** Whether an expression has no value there; what can have one though a part of it has none does not count. */
function misses(e: Expr, isMissing: (leaf: CallRead) => boolean): boolean {
  if (e.op === "argument" || e.op === "turnField") return e.answered !== true && isMissing(e);
  if (e.op === "in") return misses(e.needle, isMissing);
  const canDoWithout = ["and", "or", "isMissing", "choose", "quantifier"].includes(e.op);
  return !canDoWithout && partsOf(e).some((part) => misses(part, isMissing));
}

export const conjuncts = (e: Expr): readonly Expr[] =>
  e.op === "and" ? [...conjuncts(e.left), ...conjuncts(e.right)] : [e];

/** How dear an expression on a turn is: a column, a text, the kind of a call, another reading of the turns. */
export function costOf(e: Expr): number {
  const own =
    e.op === "quantifier"
      ? 3
      : e.op === "argument"
        ? 1
        : e.op === "turnField"
          ? (fieldCosts.get(e.field.name) ?? 0)
          : 0;
  return Math.max(own, ...partsOf(e).map(costOf));
}
const fieldCosts: ReadonlyMap<string, number> = new Map([
  ["text", 1],
  ["args", 1],
  ["command", 1],
  ["file", 1],
  ["written", 1],
  ["action", 2],
]);

/** The one table with a row per rollout that an expression reads; undefined when it reads none, several, or turns. */
export function onlyTable(e: Expr): RolloutTable | undefined {
  const tables = tablesOf(e);
  const [table] = tables;
  return tables.size === 1 && (table === "r" || table === "f" || table === "a") ? table : undefined;
}

/** Whether an expression over rollouts works on nothing but the texts that say how they ended. */
export const onlyReasons = (e: Expr): boolean =>
  e.op !== "variable" && variablesIn(e).every((name) => reasons.has(name));
const reasons: ReadonlySet<string> = new Set(reasonColumns);

/** Whether a dear part of a condition works on nothing but those texts, though the condition itself reads more. */
export const hasReasonPart = (e: Expr): boolean =>
  (e.op === "and" || e.op === "or") &&
  !onlyReasons(e) &&
  [e.left, e.right].some((part) => (onlyReasons(part) && isDear(part)) || hasReasonPart(part));

/** Whether an expression takes much longer than reading a column. */
export const isDear = (e: Expr): boolean =>
  (e.op === "call" && e.definition.dear === true) || partsOf(e).some(isDear);

function variablesIn(e: Expr): readonly string[] {
  if (e.op === "component" || e.op === "hasComponent") return ["components"];
  return e.op === "variable" ? [e.variable.name] : partsOf(e).flatMap(variablesIn);
}

function tablesOf(e: Expr, found = new Set<string>()): ReadonlySet<string> {
  if (e.op === "quantifier" || e.op === "turnField" || e.op === "argument") found.add("t");
  if (e.op === "variable") found.add(e.type === "turns" ? "t" : e.variable.table);
  if (e.op === "component" || e.op === "hasComponent") found.add("r");
  if (e.op === "call" && e.definition.table !== undefined) found.add(e.definition.table);
  for (const part of partsOf(e)) tablesOf(part, found);
  return found;
}

/** That a turn is the last one of its rollout, as a condition says it: `t.index == n_messages - 1`. */
export interface LastTurn {
  /** What the index has to be. */
  readonly index: Expr;
  /** What else has to hold of the turn. */
  readonly others: readonly Expr[];
}

/**
 * What a condition on a turn, given as what has to hold all together, asks of the last turn; undefined where it asks of others
 * as well. Such a condition names the rollout, and the database would look up the turn of each rollout by itself. As no turn
 * comes later, it holds where the greatest index of the turns that meet the others is the one asked for.
 */
export function lastTurnIn(all: readonly Expr[], turn: string): LastTurn | undefined {
  for (const [i, part] of all.entries()) {
    const index = indexAsked(part, turn);
    if (index !== undefined && isLastIndex(index)) return { index, others: all.toSpliced(i, 1) };
  }
  return undefined;
}

function indexAsked(e: Expr, turn: string): Expr | undefined {
  if (e.op !== "compare" || e.sign !== "==") return undefined;
  if (isIndex(e.left, turn)) return e.right;
  return isIndex(e.right, turn) ? e.left : undefined;
}

const isIndex = (e: Expr, turn: string): boolean =>
  e.op === "turnField" && e.turn === turn && e.answered === undefined && e.field.name === "index";

const isLastIndex = (e: Expr): boolean =>
  e.op === "arithmetic" &&
  e.sign === "-" &&
  e.left.op === "variable" &&
  e.left.of === "this" &&
  e.left.variable.name === "n_messages" &&
  e.right.op === "const" &&
  e.right.value === 1n;

/** A turn that meets a condition of its own, which few do, and another turn of which it is asked something beside it. */
export interface TurnPair {
  readonly own: readonly Expr[];
  readonly other: Extract<Expr, { op: "quantifier" }>;
}

/** The pair of turns that a condition asks for: `turns.exists(t, <of t> && turns.exists(o, <of t and o>))`. */
export function pairIn(e: Extract<Expr, { op: "quantifier" }>): TurnPair | undefined {
  if (e.which !== "exists") return undefined;
  const all = conjuncts(e.body);
  const own = all.filter((part) => isOfOneTurn(part, e.turn));
  const [other, ...more] = all.filter((part) => !own.includes(part));
  if (other?.op !== "quantifier" || other.which !== "exists" || more.length > 0) return undefined;
  const both = [e.turn, other.turn];
  const { body } = other;
  const isOfBoth = isFree(body, new Set(both)) && !hasQuantifier(body);
  const isPair = isOfBoth && e.turn !== other.turn && !both.some((turn) => readsAnswers(body, turn));
  return isPair && own.some(isDear) ? { own, other } : undefined;
}

/**
 * What a condition on turns asks of the file that a turn edits, where it asks for nothing else: that the turn's action is to
 * edit, and something of its file. The files that a rollout edited are in the table `actions`, where neither the arguments of the
 * calls have to be read nor what kind of call each is.
 */
export function editedFileIn(e: Extract<Expr, { op: "quantifier" }>): readonly Expr[] | undefined {
  if (e.which !== "exists") return undefined;
  const all = conjuncts(e.body);
  const asked = all.filter((part) => !isEdit(part, e.turn));
  const isAll = asked.length > 0 && asked.length < all.length;
  return isAll && asked.every((part) => isOfFile(part, e.turn)) ? asked : undefined;
}

/** The pattern of `edits_file`, where an expression is a call of it. */
export const editsFile = (e: Expr): string | undefined =>
  e.op === "call" && e.definition.name === "edits_file" && e.args[0]?.op === "const"
    ? String(e.args[0].value)
    : undefined;

/** Whether an expression asks for the name of a file that was edited. */
export const asksForFiles = (e: Expr): boolean => editsFile(e) !== undefined || partsOf(e).some(asksForFiles);

const isEdit = (e: Expr, turn: string): boolean =>
  e.op === "compare" &&
  e.sign === "==" &&
  isField(e.left, turn, "action") &&
  e.right.op === "const" &&
  e.right.value === "edit";

/** Whether an expression reads nothing but the file of the turn, and has no value without one. */
const isOfFile = (e: Expr, turn: string): boolean => readsOnlyFile(e, turn) && missesFile(e, turn);

function missesFile(e: Expr, turn: string): boolean {
  if (isField(e, turn, "file")) return true;
  if (e.op === "and" || e.op === "or") return partsOf(e).every((part) => missesFile(part, turn));
  return ["call", "not", "compare"].includes(e.op) && partsOf(e).some((part) => missesFile(part, turn));
}

function readsOnlyFile(e: Expr, turn: string): boolean {
  if (e.op === "turnField") return isField(e, turn, "file");
  if (e.op === "call" && e.definition.table !== undefined) return false;
  return (
    !["variable", "argument", "component", "hasComponent"].includes(e.op) &&
    !hasQuantifier(e) &&
    partsOf(e).every((part) => readsOnlyFile(part, turn))
  );
}

const isField = (e: Expr, turn: string, name: string): boolean =>
  e.op === "turnField" && e.turn === turn && e.answered === undefined && e.field.name === name;

type Counted = Extract<Expr, { op: "quantifier" }>;

/** The count of turns that a comparison asks for, and how many there have to be at least for its value to matter. */
export function countIn({
  left,
  sign,
  right,
}: Extract<Expr, { op: "compare" }>): { readonly count: Counted; readonly least: number } | undefined {
  if (left.op !== "quantifier" || left.which !== "count" || right.op !== "const") return undefined;
  const bound = Number(right.value);
  if (!Number.isFinite(bound) || (sign !== ">=" && sign !== ">")) return undefined;
  return { count: left, least: Math.max(1, sign === ">" ? Math.floor(bound) + 1 : Math.ceil(bound)) };
}
