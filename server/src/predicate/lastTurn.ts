import type { Expr } from "./expr.ts";

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
