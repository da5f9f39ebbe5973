import type { FunctionDefinition } from "./functionDefinition.ts";
import type { ArithmeticSign, ComparisonSign, Type, Value } from "./types.ts";
import type { TurnField, Variable } from "./variables.ts";

/** Where a value of a turn is read: of the turn itself, or of the call that it answers. */
export interface CallAt {
  readonly turn: string;
  readonly answered?: true;
}

/** A checked expression: names are resolved, and every operator has operands that it takes. */
export type Expr =
  | { readonly op: "const"; readonly type: Type; readonly value: Value }
  | {
      readonly op: "variable";
      readonly type: Type;
      readonly variable: Variable;
      readonly of: "this" | "parent";
    }
  | ({ readonly op: "turnField"; readonly type: Type; readonly field: TurnField } & CallAt)
  | ({ readonly op: "argument"; readonly type: "string"; readonly key: string } & CallAt)
  | { readonly op: "component"; readonly type: "double"; readonly key: Expr }
  | { readonly op: "hasComponent"; readonly type: "bool"; readonly key: Expr }
  | { readonly op: "not"; readonly type: "bool"; readonly of: Expr }
  | { readonly op: "negate"; readonly type: "int" | "double"; readonly of: Expr }
  | { readonly op: "and" | "or"; readonly type: "bool"; readonly left: Expr; readonly right: Expr }
  | {
      readonly op: "arithmetic";
      readonly type: "int" | "double" | "string";
      readonly sign: ArithmeticSign;
      readonly left: Expr;
      readonly right: Expr;
    }
  | {
      readonly op: "compare";
      readonly type: "bool";
      readonly sign: ComparisonSign;
      readonly left: Expr;
      readonly right: Expr;
    }
  | { readonly op: "isMissing"; readonly type: "bool"; readonly of: Expr }
  | { readonly op: "in"; readonly type: "bool"; readonly needle: Expr; readonly list: readonly Expr[] }
  | {
      readonly op: "choose";
      readonly type: Type;
      readonly when: Expr;
      readonly then: Expr;
      readonly other: Expr;
    }
  | { readonly op: "convert"; readonly type: "int" | "double" | "string"; readonly of: Expr }
  | { readonly op: "length"; readonly type: "int"; readonly of: Expr }
  | {
      readonly op: "quantifier";
      readonly type: "bool" | "int";
      readonly which: "exists" | "all" | "count";
      readonly turn: string;
      readonly body: Expr;
    }
  | {
      readonly op: "call";
      readonly type: Type;
      readonly definition: FunctionDefinition;
      readonly args: readonly Expr[];
    };

/** The direct parts of an expression. */
export function partsOf(e: Expr): readonly Expr[] {
  switch (e.op) {
    case "const":
    case "variable":
    case "turnField":
    case "argument":
      return [];
    case "component":
    case "hasComponent":
      return [e.key];
    case "not":
    case "negate":
    case "isMissing":
    case "convert":
    case "length":
      return [e.of];
    case "and":
    case "or":
    case "arithmetic":
    case "compare":
      return [e.left, e.right];
    case "in":
      return [e.needle, ...e.list];
    case "choose":
      return [e.when, e.then, e.other];
    case "quantifier":
      return [e.body];
    case "call":
      return e.args;
  }
}
