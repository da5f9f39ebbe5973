import { asInt } from "./arithmetic.ts";
import { unary, type Builtin, type Builtins } from "./builtins.ts";
import { order } from "./compare.ts";
import { Failure, isList, spokenKindOf, Uint, type Range } from "./values.ts";

const isNumber = (value: unknown) =>
  typeof value === "number" || typeof value === "bigint" || value instanceof Uint;

const needsNumber = (name: string, value: unknown, at: Range) =>
  new Failure(at, `${name} needs a number, not ${spokenKindOf(value)}.`);

/** The largest or smallest of the arguments, or of the one list that is given. */
const extreme = (name: string, wanted: 1 | -1): Builtin => ({
  arity: [1, 100],
  run: (args, at) => {
    const [first] = args;
    const values = args.length === 1 && isList(first) ? first : args;
    if (values.length === 0) return new Failure(at, `${name} needs at least one number.`);
    let best: unknown;
    for (const [i, value] of values.entries()) {
      if (!isNumber(value)) return needsNumber(name, value, at);
      if (i === 0) best = value;
      const c = order(value, best, at);
      if (c instanceof Failure) return c;
      if (c * wanted > 0) best = value;
    }
    return best;
  },
});

/** Rounds a double; an int is whole already. */
const rounding = (name: string, round: (value: number) => number): Builtin =>
  unary((value, at) =>
    typeof value === "number" ? round(value) : isNumber(value) ? value : needsNumber(name, value, at),
  );

const onDouble = (name: string, holds: (value: number) => boolean): Builtin =>
  unary(
    (value, at) =>
      typeof value === "number" ? holds(value) : isNumber(value) ? holds(0) : needsNumber(name, value, at),
    "bool",
  );

/** CEL's math extension, as far as numbers of JSON need it. */
export const mathFunctions: Builtins = {
  "math.greatest": extreme("math.greatest", 1),
  "math.least": extreme("math.least", -1),
  "math.abs": unary((value, at) => {
    if (typeof value === "number") return Math.abs(value);
    if (typeof value === "bigint") return value < 0n ? asInt(-value, at) : value;
    return value instanceof Uint ? value : needsNumber("math.abs", value, at);
  }),
  "math.ceil": rounding("math.ceil", Math.ceil),
  "math.floor": rounding("math.floor", Math.floor),
  "math.trunc": rounding("math.trunc", Math.trunc),
  // Half away from zero; Math.round goes up.
  "math.round": rounding("math.round", (value) => Math.sign(value) * Math.round(Math.abs(value))),
  "math.sign": unary((value, at) => {
    if (typeof value === "number") return Math.sign(value);
    if (typeof value === "bigint") return value < 0n ? -1n : value > 0n ? 1n : 0n;
    return value instanceof Uint ? new Uint(value.value > 0n ? 1n : 0n) : needsNumber("math.sign", value, at);
  }),
  "math.sqrt": unary(
    (value, at) =>
      isNumber(value)
        ? Math.sqrt(Number(value instanceof Uint ? value.value : value))
        : needsNumber("math.sqrt", value, at),
    "double",
  ),
  "math.isNaN": onDouble("math.isNaN", Number.isNaN),
  "math.isInf": onDouble("math.isInf", (value) => value === Infinity || value === -Infinity),
  "math.isFinite": onDouble("math.isFinite", Number.isFinite),
};
