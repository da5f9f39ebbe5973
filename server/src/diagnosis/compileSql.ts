import type { ASTNode } from "@marcbachmann/cel-js";
import type { ExpressionProblem } from "../expression/values.ts";
import { checkCondition, rolloutVariables, turnVariables, type CelType, type Scope } from "./language.ts";

/**
 * A condition as DuckDB SQL over `rollouts r`, `features f` (joined on rid) and, in the scope of a turn, `turns t`.
 * Constants are inlined as SQL literals, so the text needs no parameters.
 */
export interface CompiledCondition {
  readonly sql: string;
}

export type CompileResult =
  | { readonly ok: true; readonly condition: CompiledCondition }
  | { readonly ok: false; readonly problem: ExpressionProblem };

/** Parses, checks and compiles a condition. Never throws on bad input; problems carry the range in the text. */
export function compileCondition(text: string, scope: Scope = "rollout"): CompileResult {
  const checked = checkCondition(text, scope);
  if (!checked.ok) return checked;
  const context: Context = {
    turns: new Map(scope === "turn" ? [["turn", "t"]] : []),
    aliases: 0,
  };
  try {
    const { sql } = compile(checked.ast, context);
    return { ok: true, condition: { sql } };
  } catch (e) {
    if (e instanceof Unsupported)
      return { ok: false, problem: { start: e.node.start, end: e.node.end, message: e.message } };
    throw e;
  }
}

interface Context {
  /** Variables that stand for a turn, and the table alias each is bound to. */
  readonly turns: ReadonlyMap<string, string>;
  aliases: number;
}

interface Typed {
  readonly sql: string;
  readonly type: CelType;
}

class Unsupported extends Error {
  readonly node: ASTNode;
  constructor(node: ASTNode, message: string) {
    super(message);
    this.node = node;
  }
}

const featureColumns = new Set(["n_turns", "longest_tool_streak", "streak_tool"]);
const comparisons: Readonly<Record<string, string>> = {
  "==": "=",
  "!=": "<>",
  "<": "<",
  "<=": "<=",
  ">": ">",
  ">=": ">=",
};

function compile(node: ASTNode, c: Context): Typed {
  switch (node.op) {
    case "value":
      return literal(node, node.args);
    case "id":
      return variable(node, node.args, c);
    case ".":
      return member(node, node.args[0], node.args[1], c);
    case "[]":
      return index(node, node.args[0], node.args[1], c);
    case "&&":
    case "||":
      return {
        sql: `(${compile(node.args[0], c).sql} ${node.op === "&&" ? "AND" : "OR"} ${compile(node.args[1], c).sql})`,
        type: "bool",
      };
    case "!_":
      return { sql: `(NOT ${compile(node.args, c).sql})`, type: "bool" };
    case "-_": {
      const x = compile(node.args, c);
      return { sql: `(-${x.sql})`, type: x.type };
    }
    case "?:": {
      const [when, then, other] = [
        compile(node.args[0], c),
        compile(node.args[1], c),
        compile(node.args[2], c),
      ];
      return { sql: `(CASE WHEN ${when.sql} THEN ${then.sql} ELSE ${other.sql} END)`, type: then.type };
    }
    case "+":
    case "-":
    case "*":
    case "/":
    case "%":
      return arithmetic(node.op, compile(node.args[0], c), compile(node.args[1], c));
    case "==":
    case "!=":
    case "<":
    case "<=":
    case ">":
    case ">=":
      return compare(comparisons[node.op] ?? node.op, operand(node.args[0], c), operand(node.args[1], c));
    case "in":
      return membership(node, node.args[0], node.args[1], c);
    case "call":
      return call(node, node.args[0], node.args[1], c);
    case "rcall":
      return method(node, node.args[0], node.args[1], node.args[2], c);
    case "list":
    case "map":
    case ".?":
    case "[?]":
      throw new Unsupported(
        node,
        "This form cannot be used here; compare with `in [..]` or use a function instead.",
      );
  }
}

/**
 * One side of a comparison. A whole number is written bare there, so that DuckDB can use it as a filter of the scan; in
 * arithmetic it is a BIGINT, because a smaller type raises on overflow.
 */
function operand(node: ASTNode, c: Context): Typed {
  return node.op === "value" && typeof node.args === "bigint"
    ? { sql: `${node.args}`, type: "int" }
    : compile(node, c);
}

/** Literals are the only user text that reaches SQL; strings are quoted, numbers are printed from parsed values. */
function literal(node: ASTNode, value: unknown): Typed {
  if (typeof value === "string") return { sql: quote(node, value), type: "string" };
  if (typeof value === "bigint") return { sql: `${value}::BIGINT`, type: "int" };
  if (typeof value === "number")
    return { sql: `${Number.isFinite(value) ? value : "NULL"}::DOUBLE`, type: "double" };
  if (typeof value === "boolean") return { sql: value ? "TRUE" : "FALSE", type: "bool" };
  if (value === null) return { sql: "NULL", type: "null" };
  throw new Unsupported(node, "Bytes cannot be compared with evidence.");
}

function quote(node: ASTNode, value: string): string {
  if (value.includes("\0")) throw new Unsupported(node, "A string cannot hold a NUL character.");
  return `'${value.replaceAll("'", "''")}'`;
}

function variable(node: ASTNode, name: string, c: Context): Typed {
  if (c.turns.has(name)) return { sql: name, type: "turn" };
  const declared = rolloutVariables.find((v) => v.name === name);
  if (declared === undefined) throw new Unsupported(node, `Unknown variable: ${name}.`);
  if (name === "turns") return { sql: "turns", type: "turns" };
  if (featureColumns.has(name)) {
    return { sql: `f.${name}`, type: typeOf(declared.cel) };
  }
  return { sql: `r."${name}"`, type: typeOf(declared.cel) };
}

function typeOf(cel: string): CelType {
  return cel === "bool" || cel === "int" || cel === "double" || cel === "string" ? cel : "map";
}

function member(node: ASTNode, object: ASTNode, field: string, c: Context): Typed {
  const o = compile(object, c);
  if (o.type === "turn") return turnField(node, c.turns.get(o.sql) ?? o.sql, field);
  if (o.type === "map") return mapValue(node, o, quote(node, field));
  throw new Unsupported(node, `There is no field ${field} here.`);
}

function turnField(node: ASTNode, alias: string, field: string): Typed {
  const declared = turnVariables.find((v) => v.name === field);
  if (declared === undefined) throw new Unsupported(node, `A turn has no field ${field}.`);
  return { sql: `${alias}."${field === "index" ? "idx" : field}"`, type: typeOf(declared.cel) };
}

/** `components` is a MAP column, `args` a JSON one whose values are read as text. */
function mapValue(node: ASTNode, map: Typed, key: string): Typed {
  if (map.sql === `r."components"`) return { sql: `${map.sql}[${key}]`, type: "double" };
  if (map.sql.endsWith(`."args"`))
    return { sql: `json_extract_string(${map.sql}, ${jsonPath(node, key)})`, type: "string" };
  throw new Unsupported(node, "Only components and args have named values.");
}

function jsonPath(node: ASTNode, quoted: string): string {
  if (quoted.includes('"')) throw new Unsupported(node, "An argument's name cannot hold a double quote.");
  return `'$."${quoted.slice(1, -1)}"'`;
}

function index(node: ASTNode, object: ASTNode, key: ASTNode, c: Context): Typed {
  const o = compile(object, c);
  if (o.type === "map" && key.op === "value" && typeof key.args === "string")
    return mapValue(node, o, quote(key, key.args));
  throw new Unsupported(
    node,
    "Only a map can be read by a constant name; to look at turns use turns.exists(t, ..).",
  );
}

function arithmetic(op: string, a: Typed, b: Typed): Typed {
  if (op === "+" && a.type === "string") return { sql: `(${a.sql} || ${b.sql})`, type: "string" };
  // CEL stops with an error on division by zero; here the row has no value, so the label is not set.
  if (op === "/" && a.type === "int") return { sql: `(${a.sql} // ${b.sql})`, type: "int" };
  if (op === "/") return { sql: `(${a.sql} / nullif(${b.sql}, 0))`, type: a.type };
  return { sql: `(${a.sql} ${op} ${b.sql})`, type: a.type };
}

function compare(op: string, a: Typed, b: Typed): Typed {
  if (b.type === "null") return { sql: `(${a.sql} IS ${op === "=" ? "" : "NOT "}NULL)`, type: "bool" };
  return { sql: `(${a.sql} ${op} ${b.sql})`, type: "bool" };
}

function membership(node: ASTNode, needle: ASTNode, list: ASTNode, c: Context): Typed {
  const x = compile(needle, c);
  if (list.op === "list") {
    if (list.args.length === 0) return { sql: "FALSE", type: "bool" };
    return { sql: `(${x.sql} IN (${list.args.map((a) => compile(a, c).sql).join(", ")}))`, type: "bool" };
  }
  const m = compile(list, c);
  if (m.type === "map" && m.sql === `r."components"`)
    return { sql: `(map_contains(${m.sql}, ${x.sql}))`, type: "bool" };
  throw new Unsupported(node, "`in` needs a list in brackets, or components.");
}

function call(node: ASTNode, name: string, args: readonly ASTNode[], c: Context): Typed {
  const [first] = args;
  switch (name) {
    case "size":
      if (first !== undefined) return size(node, first, c);
      break;
    case "has":
      if (first !== undefined) return { sql: `(${compile(first, c).sql} IS NOT NULL)`, type: "bool" };
      break;
    case "int":
      if (first !== undefined) return { sql: `trunc(${compile(first, c).sql})::BIGINT`, type: "int" };
      break;
    case "double":
      if (first !== undefined) return { sql: `(${compile(first, c).sql})::DOUBLE`, type: "double" };
      break;
    case "string":
      if (first !== undefined) return { sql: `(${compile(first, c).sql})::VARCHAR`, type: "string" };
      break;
    case "tool_count":
      if (first !== undefined) return toolCount(compile(first, c).sql);
      break;
    case "first_turn":
      if (first !== undefined) return { sql: firstTurn(compile(first, c).sql), type: "int" };
      break;
  }
  throw new Unsupported(node, `The function ${name} cannot be used on the archive.`);
}

function toolCount(tool: string): Typed {
  return { sql: `coalesce(f.tool_counts[${tool}], 0)`, type: "int" };
}

function firstTurn(tool: string): string {
  return `coalesce((SELECT min(x.call) FROM (SELECT rid, tool, row_number() OVER (PARTITION BY rid ORDER BY idx) - 1 AS call FROM turns WHERE role = 'assistant') x WHERE x.rid = r.rid AND x.tool = ${tool}), -1)`;
}

function size(node: ASTNode, of: ASTNode, c: Context): Typed {
  if (of.op === "rcall" && of.args[0] === "filter") return turnsCount(node, of.args[1], of.args[2], c);
  const o = compile(of, c);
  if (o.type === "string") return { sql: `length(${o.sql})`, type: "int" };
  if (o.type === "turns") return { sql: "(SELECT count(*) FROM turns x WHERE x.rid = r.rid)", type: "int" };
  throw new Unsupported(node, "size() takes text, turns or turns.filter(..).");
}

function turnsCount(node: ASTNode, list: ASTNode, args: readonly ASTNode[], c: Context): Typed {
  const { alias, predicate } = overTurns(node, list, args, c);
  return {
    sql: `(SELECT count(*) FROM turns ${alias} WHERE ${alias}.rid = r.rid AND ${predicate})`,
    type: "int",
  };
}

/** Binds the macro's variable to a fresh alias of `turns` and compiles its condition. */
function overTurns(
  node: ASTNode,
  list: ASTNode,
  args: readonly ASTNode[],
  c: Context,
): { alias: string; predicate: string; free: boolean } {
  const [name, condition] = args;
  if (compile(list, c).type !== "turns" || name?.op !== "id" || condition === undefined)
    throw new Unsupported(node, "This macro works on turns only.");
  const alias = `t${++c.aliases}`;
  const inner: Context = {
    turns: new Map([...c.turns, [name.args, alias]]),
    aliases: c.aliases,
  };
  const predicate = compile(condition, inner).sql;
  c.aliases = inner.aliases;
  return { alias, predicate, free: /\b[rf]\./.test(predicate.replaceAll(/'(?:[^']|'')*'/g, "")) };
}

function method(node: ASTNode, name: string, object: ASTNode, args: readonly ASTNode[], c: Context): Typed {
  if (name === "exists" || name === "all") return quantifier(node, name, object, args, c);
  if (name === "size") return size(node, object, c);
  const o = compile(object, c);
  const [first] = args;
  if (o.type !== "string" || first === undefined)
    throw new Unsupported(node, `The method ${name} cannot be used on the archive.`);
  switch (name) {
    case "contains":
      return { sql: `contains(${o.sql}, ${compile(first, c).sql})`, type: "bool" };
    case "startsWith":
      return { sql: `starts_with(${o.sql}, ${compile(first, c).sql})`, type: "bool" };
    case "endsWith":
      return { sql: `ends_with(${o.sql}, ${compile(first, c).sql})`, type: "bool" };
    case "matches":
      if (first.op !== "value" || typeof first.args !== "string")
        throw new Unsupported(first, "A pattern must be a constant string.");
      return { sql: `regexp_matches(${o.sql}, ${quote(first, first.args)})`, type: "bool" };
    default:
      throw new Unsupported(node, `The method ${name} cannot be used on the archive.`);
  }
}

/** A condition on turns alone is a semi-join; one that also names the rollout is a correlated EXISTS, which DuckDB turns into a join. */
function quantifier(
  node: ASTNode,
  name: string,
  object: ASTNode,
  args: readonly ASTNode[],
  c: Context,
): Typed {
  const { alias, predicate, free } = overTurns(node, object, args, c);
  const wanted = name === "exists" ? predicate : `NOT ${predicate}`;
  const not = name === "exists" ? "" : "NOT ";
  return {
    sql: free
      ? `(${not}EXISTS (SELECT 1 FROM turns ${alias} WHERE ${alias}.rid = r.rid AND ${wanted}))`
      : `(r.rid ${not}IN (SELECT ${alias}.rid FROM turns ${alias} WHERE ${wanted}))`,
    type: "bool",
  };
}
