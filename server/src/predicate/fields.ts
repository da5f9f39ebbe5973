import { type Expr, partsOf } from "./expr.ts";
import type { ComparisonSign } from "./types.ts";

type Fields = ReadonlySet<string>;

/** The fields without which an expression never comes to `wanted`: of two sides of which one is enough, those of both. */
export function neededFields(e: Expr, wanted: boolean): Fields {
  if (e.op === "and" || e.op === "or") {
    const [left, right] = [neededFields(e.left, wanted), neededFields(e.right, wanted)];
    return (e.op === "and") === wanted ? union(left, right) : intersection(left, right);
  }
  if (e.op === "not") return neededFields(e.of, !wanted);
  if (e.op === "isMissing") return wanted ? new Set() : fieldsOf(e.of);
  if (e.op === "choose")
    return union(fieldsOf(e.when), intersection(neededFields(e.then, wanted), neededFields(e.other, wanted)));
  // Over no turns, and where the condition has no value, nothing exists and everything holds.
  if (e.op === "quantifier" && e.which !== "count")
    return (e.which === "exists") === wanted
      ? union(new Set(["turns"]), neededFields(e.body, wanted))
      : new Set(["turns"]);
  if (e.op === "compare") return neededToCompare(e, wanted);
  // It has a value where nothing is recorded.
  if (e.op === "call" && e.definition.unrecorded === wanted) return new Set(["turns"]);
  return fieldsOf(e);
}

type Compare = Extract<Expr, { op: "compare" }>;

/**
 * What is counted of turns is 0 where the condition on them needs what is missing, and so are calls. Where the comparison
 * holds for such a value, it needs none of those fields.
 */
function neededToCompare({ sign, left, right }: Compare, wanted: boolean): Fields {
  const [a, b] = [unrecorded(left), unrecorded(right)];
  if (a !== undefined && b !== undefined && holds(a, sign, b) === wanted)
    return [left, right].some(readsTranscript) ? new Set(["turns"]) : new Set();
  return union(neededSide(left, b === undefined), neededSide(right, a === undefined));
}

/** A count beside something that is not known either may be right as 0. */
function neededSide(e: Expr, besideUnknown: boolean): Fields {
  if (e.op !== "quantifier" || e.which !== "count") return fieldsOf(e);
  return union(new Set(["turns"]), besideUnknown ? new Set() : neededFields(e.body, true));
}

/** What a number is where none of the fields that it reads is recorded; undefined where it has no value, or any. */
function unrecorded(e: Expr): number | undefined {
  if (e.op === "const") return numberOf(e.value);
  if (e.op === "variable") return numberOf(e.variable.unrecorded);
  if (e.op === "call") return numberOf(e.definition.unrecorded);
  if (e.op === "quantifier" && e.which === "count" && neededFields(e.body, true).size > 0) return 0;
  return undefined;
}

const numberOf = (value: unknown): number | undefined =>
  typeof value === "bigint" || typeof value === "number" ? Number(value) : undefined;

function holds(a: number, sign: ComparisonSign, b: number): boolean {
  switch (sign) {
    case "==":
      return a === b;
    case "!=":
      return a !== b;
    case "<":
      return a < b;
    case "<=":
      return a <= b;
    case ">":
      return a > b;
    case ">=":
      return a >= b;
  }
}

/** Whether it has no value where the source kept no message; the number of messages has one everywhere. */
const readsTranscript = (e: Expr): boolean =>
  e.op === "quantifier" || e.op === "call" || (e.op === "variable" && e.variable.name !== "n_messages");

const union = (a: Fields, b: Fields): Fields => new Set([...a, ...b]);
const intersection = (a: Fields, b: Fields): Fields => new Set([...a].filter((field) => b.has(field)));

/** The fields of the evidence contract that an expression reads. */
export function fieldsOf(e: Expr, found = new Set<string>()): Set<string> {
  if (e.op === "variable" && e.variable.name !== "turns")
    for (const field of e.variable.fields) found.add(field);
  if (e.op === "turnField") for (const field of e.field.fields) found.add(field);
  if (e.op === "argument") found.add("turns.args");
  if ((e.op === "turnField" || e.op === "argument") && e.answered === true) found.add("turns.tool");
  if (e.op === "component" || e.op === "hasComponent") found.add("components");
  if (e.op === "quantifier" || (e.op === "variable" && e.variable.name === "turns")) found.add("turns");
  if (e.op === "call") for (const field of e.definition.fields ?? []) found.add(field);
  for (const part of partsOf(e)) fieldsOf(part, found);
  return found;
}
