import { type Expr, partsOf } from "./expr.ts";

type Junction = Extract<Expr, { op: "and" | "or" }>;

/** What an outcome that is known says; the other one denies it. */
const opposite = { pass: "fail", fail: "pass" } as const;

/**
 * A known outcome decides what the reward only stands in for: in `outcome == "fail" || reward == 0.0` the reward is asked of
 * rollouts whose outcome is unknown. Otherwise the passes of a source without rewards would be undecided, and the label would
 * be on nearly all that are left.
 */
export function decideByOutcome(e: Expr): Expr {
  if (e.op === "or") return ofDisjunction(e);
  if (e.op === "and") return { ...e, left: decideByOutcome(e.left), right: decideByOutcome(e.right) };
  return e.op === "not" ? { ...e, of: decideByOutcome(e.of) } : e;
}

function ofDisjunction(e: Junction): Expr {
  const parts = disjuncts(e);
  for (const part of parts) {
    const said = saidBy(part);
    if (said === undefined) continue;
    const rest = parts.filter((other) => other !== part);
    if (!rest.some(readsReward) || !rest.every(isAboutTheEnd)) continue;
    const { comparison, constant, outcome } = said;
    const denied: Expr = { ...comparison, right: { ...constant, value: opposite[outcome] } };
    const open: Expr = { op: "not", type: "bool", of: denied };
    return either(part, { op: "and", type: "bool", left: open, right: rest.reduce(either) });
  }
  return { ...e, left: decideByOutcome(e.left), right: decideByOutcome(e.right) };
}

const disjuncts = (e: Expr): readonly Expr[] =>
  e.op === "or" ? [...disjuncts(e.left), ...disjuncts(e.right)] : [e];

const either = (left: Expr, right: Expr): Expr => ({ op: "or", type: "bool", left, right });

interface Said {
  readonly comparison: Extract<Expr, { op: "compare" }>;
  readonly constant: Extract<Expr, { op: "const" }>;
  readonly outcome: keyof typeof opposite;
}

/** The outcome that a comparison asks for, where it is `outcome == "pass"` or `outcome == "fail"`. */
function saidBy(e: Expr): Said | undefined {
  if (e.op !== "compare" || e.sign !== "==" || !isVariable(e.left, "outcome")) return undefined;
  const { right: constant } = e;
  if (constant.op !== "const" || (constant.value !== "pass" && constant.value !== "fail")) return undefined;
  return { comparison: e, constant, outcome: constant.value };
}

const isVariable = (e: Expr, name: string): boolean => e.op === "variable" && e.variable.name === name;

const readsReward = (e: Expr): boolean => isVariable(e, "reward") || partsOf(e).some(readsReward);

/** Whether it reads the reward and the outcome alone: what reads anything else says more than how the rollout ended. */
function isAboutTheEnd(e: Expr): boolean {
  if (e.op === "variable") return isVariable(e, "reward") || isVariable(e, "outcome");
  if (["component", "hasComponent", "quantifier", "call"].includes(e.op)) return false;
  return partsOf(e).every(isAboutTheEnd);
}
