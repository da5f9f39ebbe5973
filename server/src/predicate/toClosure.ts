import type { Turn } from "../../../shared/model/rollout.ts";
import { count } from "../../../shared/words/numbers.ts";
import { HarnessError } from "../base/errors.ts";
import { actionOf, argumentText, commandOf, fileOf, writtenText } from "../evidence/contract/actions.ts";
import { answeredCalls } from "../evidence/contract/answeredCalls.ts";
import { compareText } from "../expression/compare.ts";
import { codePointLength } from "../expression/text.ts";
import { numberValue, type Facts } from "./facts.ts";
import type { CallAt, Expr } from "./expr.ts";
import type { ArithmeticSign, ComparisonSign, Value } from "./types.ts";

/** The turns that are named, and how many steps are left. */
interface Turns {
  readonly places: Map<string, Place>;
  steps: number;
}

interface Place {
  readonly turn: Turn;
  readonly index: number;
}

/**
 * The most turns that one evaluation visits, in all quantifiers together; a long text that is read counts as well. This
 * takes about a second at most, and nothing can interrupt it.
 */
const mostSteps = 1_000_000;
/** Characters of a text that count as one step. */
const charactersPerStep = 1024;

function spend(turns: Turns, steps: number): void {
  turns.steps -= steps;
  if (turns.steps < 0)
    throw new HarnessError(
      "badInput",
      `The condition was stopped after ${count(mostSteps)} steps; put fewer quantifiers inside each other.`,
    );
}

function read(turns: Turns, value: Value): Value {
  if (typeof value === "string") spend(turns, Math.floor(value.length / charactersPerStep));
  return value;
}

type Closure = (facts: Facts, turns: Turns) => Value;

/**
 * A checked expression as a function of what it is over. In the scope of a turn, `at` says which turn of the facts it is.
 * The function throws HarnessError badInput when it takes too many steps.
 */
export function toClosure(e: Expr): (facts: Facts, at?: number) => Value {
  const run = closure(e);
  return (facts, at) => {
    const turn = at === undefined ? undefined : facts.turns[at];
    const places = new Map(turn === undefined ? [] : [["turn", { turn, index: at ?? 0 }] as const]);
    return run(facts, { places, steps: mostSteps });
  };
}

function closure(e: Expr): Closure {
  switch (e.op) {
    case "const":
      return () => e.value;
    case "variable":
      return (facts) => facts.value(e.variable, e.of);
    case "turnField":
      return (facts, turns) => read(turns, turnValue(placeOf(e, facts, turns), e.field.name));
    case "argument":
      return (facts, turns) => {
        const place = placeOf(e, facts, turns);
        return place === undefined ? null : read(turns, argumentText(place.turn, e.key));
      };
    case "component": {
      const key = closure(e.key);
      return (facts, turns) => component(facts, key(facts, turns));
    }
    case "hasComponent": {
      const key = closure(e.key);
      return (facts, turns) => {
        const name = key(facts, turns);
        return typeof name === "string" ? Object.hasOwn(facts.components, name) : null;
      };
    }
    case "not": {
      const of = closure(e.of);
      return (facts, turns) => {
        const value = of(facts, turns);
        return value === null ? null : value !== true;
      };
    }
    case "isMissing": {
      const of = closure(e.of);
      return (facts, turns) => of(facts, turns) === null;
    }
    case "negate": {
      const of = closure(e.of);
      return (facts, turns) => {
        const value = of(facts, turns);
        return typeof value === "bigint" ? whole(-value) : typeof value === "number" ? -value : null;
      };
    }
    case "and":
    case "or":
      return logic(e.op === "or", closure(e.left), closure(e.right));
    case "arithmetic":
      return strict(closure(e.left), closure(e.right), (a, b) => arithmetic(e.sign, a, b));
    case "compare":
      return strict(closure(e.left), closure(e.right), (a, b) => compare(e.sign, a, b));
    case "in":
      return membership(closure(e.needle), e.list.map(closure));
    case "choose": {
      const [when, then, other] = [closure(e.when), closure(e.then), closure(e.other)];
      return (facts, turns) => {
        const value = when(facts, turns);
        return value === null ? null : (value === true ? then : other)(facts, turns);
      };
    }
    case "convert": {
      const of = closure(e.of);
      return (facts, turns) => converted(of(facts, turns), e.type);
    }
    case "length": {
      const of = closure(e.of);
      return (facts, turns) => {
        const value = of(facts, turns);
        return typeof value === "string" ? BigInt(codePointLength(value)) : null;
      };
    }
    case "quantifier":
      return quantifier(e.which, e.turn, closure(e.body));
    case "call": {
      const args = e.args.map(closure);
      return (facts, turns) => {
        const values: Exclude<Value, null>[] = [];
        for (const arg of args) {
          const value = arg(facts, turns);
          if (value === null) return null;
          values.push(value);
        }
        const result = e.definition.run(values, facts);
        return typeof result === "number" && !Number.isFinite(result) ? null : result;
      };
    }
  }
}

/** The turn that is read: the one that is named, or the one whose call that answers. */
function placeOf({ turn, answered }: CallAt, { turns: all }: Facts, { places }: Turns): Place | undefined {
  const place = places.get(turn);
  if (answered === undefined || place === undefined) return place;
  const index = answeredCalls(all)[place.index] ?? undefined;
  const call = index === undefined ? undefined : all[index];
  return call === undefined || index === undefined ? undefined : { turn: call, index };
}

function turnValue(place: Place | undefined, field: string): Value {
  if (place === undefined) return null;
  const { turn, index } = place;
  switch (field) {
    case "index":
      return BigInt(index);
    case "role":
      return turn.role;
    case "text":
      return turn.text;
    case "tool":
      return turn.tool ?? null;
    case "ok":
      return turn.ok ?? null;
    case "tokens":
      return numberValue(turn.tokens, true);
    case "ms":
      return numberValue(turn.ms, false);
    case "action":
      return actionOf(turn);
    case "command":
      return commandOf(turn);
    case "file":
      return fileOf(turn);
    case "written":
      return writtenText(turn);
    default:
      return null;
  }
}

const component = ({ components }: Facts, name: Value): Value =>
  typeof name === "string" && Object.hasOwn(components, name) ? numberValue(components[name], false) : null;

/** Kleene's and/or: what decides alone decides, whatever the other side is missing. */
const logic =
  (decisive: boolean, left: Closure, right: Closure): Closure =>
  (facts, turns) => {
    const a = left(facts, turns);
    if (a === decisive) return decisive;
    const b = right(facts, turns);
    if (b === decisive) return decisive;
    return a === null || b === null ? null : !decisive;
  };

const strict =
  (left: Closure, right: Closure, of: (a: Exclude<Value, null>, b: Exclude<Value, null>) => Value): Closure =>
  (facts, turns) => {
    const a = left(facts, turns);
    const b = right(facts, turns);
    return a === null || b === null ? null : of(a, b);
  };

const membership =
  (needle: Closure, list: readonly Closure[]): Closure =>
  (facts, turns) => {
    const value = needle(facts, turns);
    if (value === null) return null;
    let unknown = false;
    for (const part of list) {
      const other = part(facts, turns);
      if (other === null) unknown = true;
      else if (other === value) return true;
    }
    return unknown ? null : false;
  };

const quantifier =
  (which: "exists" | "all" | "count", name: string, body: Closure): Closure =>
  (facts, turns) => {
    const { places } = turns;
    const outer = places.get(name);
    let held = 0;
    let decided = false;
    for (const [index, turn] of facts.turns.entries()) {
      spend(turns, 1);
      places.set(name, { turn, index });
      const holds = body(facts, turns);
      if (holds === true) held++;
      decided = (which === "exists" && holds === true) || (which === "all" && holds === false);
      if (decided) break;
    }
    if (outer === undefined) places.delete(name);
    else places.set(name, outer);
    return which === "count" ? BigInt(held) : (which === "exists") === decided;
  };

/** A whole number of 64 bits, or none. */
const whole = (value: bigint): Value => (BigInt.asIntN(64, value) === value ? value : null);
const finite = (value: number): Value => (Number.isFinite(value) ? value : null);

function arithmetic(sign: ArithmeticSign, a: Exclude<Value, null>, b: Exclude<Value, null>): Value {
  if (typeof a === "string") return a + String(b);
  if (typeof a === "bigint" && typeof b === "bigint") {
    if (sign === "+") return whole(a + b);
    if (sign === "-") return whole(a - b);
    if (sign === "*") return whole(a * b);
    if (b === 0n) return null;
    return whole(sign === "/" ? a / b : a % b);
  }
  const [x, y] = [Number(a), Number(b)];
  if (sign === "+") return finite(x + y);
  if (sign === "-") return finite(x - y);
  if (sign === "*") return finite(x * y);
  return y === 0 ? null : finite(x / y);
}

function compare(sign: ComparisonSign, a: Exclude<Value, null>, b: Exclude<Value, null>): boolean {
  if (sign === "==") return a === b;
  if (sign === "!=") return a !== b;
  const order =
    typeof a === "string" && typeof b === "string" ? compareText(a, b) : a < b ? -1 : a > b ? 1 : 0;
  if (sign === "<") return order < 0;
  if (sign === "<=") return order <= 0;
  return sign === ">" ? order > 0 : order >= 0;
}

function converted(value: Value, to: "int" | "double" | "string"): Value {
  if (value === null) return null;
  if (to === "string") return String(value);
  if (to === "double") {
    if (typeof value !== "string") return finite(Number(value));
    return /^[+-]?[0-9]+(\.[0-9]+)?([eE][+-]?[0-9]+)?$/.test(value) ? finite(Number(value)) : null;
  }
  if (typeof value === "number") return whole(BigInt(Math.trunc(value)));
  return typeof value === "string" && /^[+-]?[0-9]+$/.test(value)
    ? whole(BigInt(value.replace(/^\+/, "")))
    : null;
}
