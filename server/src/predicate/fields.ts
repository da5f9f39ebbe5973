import { type Expr, partsOf } from "./expr.ts";

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
  if (wanted && e.op === "compare" && isAtLeastSome(e))
    return union(union(new Set(["turns"]), neededFields(e.left.body, true)), fieldsOf(e.right));
  return fieldsOf(e);
}

type Compare = Extract<Expr, { op: "compare" }>;
type Count = Extract<Expr, { op: "quantifier" }>;

/** Whether turns are counted that there must be: without what the condition on them needs, there are none. */
function isAtLeastSome(e: Compare): e is Compare & { readonly left: Count } {
  if (e.left.op !== "quantifier" || e.left.which !== "count" || e.right.op !== "const") return false;
  const least = Number(e.right.value);
  return (e.sign === ">=" && least > 0) || (e.sign === ">" && least >= 0);
}

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
