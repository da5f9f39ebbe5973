import { Random, seedOf } from "../../../gym/src/random.ts";
import { operationsIn, operators, show, valueOf, type Expression } from "./expression.ts";
import type { Item } from "./item.ts";

/** How large and how long the problems are. */
export interface Setting {
  readonly operations: readonly [number, number];
  readonly sorted: readonly [number, number];
  /** The largest number of a sum and of a list. */
  readonly largest: number;
}

/** What the policy is trained and selected on. */
export const usual: Setting = { operations: [2, 5], sorted: [4, 8], largest: 40 };
/** The same tasks with longer problems and larger numbers. */
export const shifted: Setting = { operations: [4, 7], sorted: [7, 10], largest: 90 };

const isSmall = (expression: Expression): boolean =>
  typeof expression === "number" ||
  (Math.abs(valueOf(expression)) < 1000 && isSmall(expression.left) && isSmall(expression.right));

function drawExpression(random: Random, count: number, largest: number): Expression {
  if (count === 0) return random.between(2, largest);
  const leftCount = random.below(count);
  const operator = random.pick(operators);
  const left = drawExpression(random, leftCount, operator === "*" ? 12 : largest);
  const right = drawExpression(random, count - 1 - leftCount, operator === "*" ? 9 : largest);
  return { operator, left, right };
}

const shareOf = (value: number, [low, high]: readonly [number, number]): number =>
  (value - low) / (high - low);

function arithmetic(random: Random, id: string, { operations, largest }: Setting): Item {
  for (;;) {
    const expression = drawExpression(random, random.between(...operations), largest);
    if (!isSmall(expression)) continue;
    const difficulty = shareOf(operationsIn(expression), operations);
    const text = show(expression);
    const question = `Compute ${text}.`;
    return {
      id,
      difficulty,
      kind: "arithmetic",
      question,
      expression: text,
      answer: `${valueOf(expression)}`,
    };
  }
}

function sorting(random: Random, id: string, { sorted, largest }: Setting): Item {
  const count = random.between(...sorted);
  const numbers = random.shuffle(Array.from({ length: largest }, (_, i) => i + 1)).slice(0, count);
  const answer = numbers.toSorted((a, b) => a - b).join(" ");
  const question = `Sort ${numbers.join(" ")} from the smallest to the largest.`;
  return { id, difficulty: shareOf(count, sorted), kind: "sorting", question, numbers, answer };
}

/** The problem of a seed. */
export function generateItem(seed: number, id: string, setting: Setting): Item {
  const random = new Random(seedOf("math", seed));
  return random.chance(0.7) ? arithmetic(random, id, setting) : sorting(random, id, setting);
}
