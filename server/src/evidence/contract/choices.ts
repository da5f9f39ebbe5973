import { outcomes } from "../../../../shared/model/outcomes.ts";
import { splitNames } from "../../../../shared/model/rollout.ts";

/** Columns of `rollouts` that hold one of a few texts: a byte in the archive, in the order of the texts. */
export const choices = {
  split: [...splitNames].sort(),
  outcome: [...outcomes].sort(),
} as const;
export type ChoiceColumn = keyof typeof choices;

export const isChoiceColumn = (name: string): name is ChoiceColumn => Object.hasOwn(choices, name);

/** The type of such a column in SQL. */
export function choiceType(column: ChoiceColumn): string {
  return `ENUM(${choices[column].map((text) => `'${text}'`).join(", ")})`;
}

/**
 * One of its texts as SQL to compare the column with; undefined for any other text. The engine compares bytes with it; a plain
 * literal makes it turn every row into a text first, which takes three times as long.
 */
export function choiceConstant<C extends ChoiceColumn>(column: C, text: (typeof choices)[C][number]): string;
export function choiceConstant(column: ChoiceColumn, text: string): string | undefined;
export function choiceConstant(column: ChoiceColumn, text: string): string | undefined {
  return choices[column].some((known) => known === text) ? `'${text}'::${choiceType(column)}` : undefined;
}
