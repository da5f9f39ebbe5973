import { Random, seedOf } from "../../../gym/src/random.ts";
import { compute, operators, type Place } from "./expression.ts";

/** A number that an operation may be given as its result. */
export interface Result {
  readonly value: number;
}

/** The right result, slips of one and of ten, and what the other operations give; shuffled for this item and operation. */
export function resultsOf(item: string, { operator, left, right }: Place): readonly Result[] {
  const value = compute(operator, left, right);
  const slips = [value, value + 1, value - 1, value + 10, value - 10, -value];
  const others = operators.filter((other) => other !== operator).map((other) => compute(other, left, right));
  const values = [...new Set([...slips, ...others])].map((one): Result => ({ value: one }));
  return new Random(seedOf("results", item, left, operator, right)).shuffle(values);
}
