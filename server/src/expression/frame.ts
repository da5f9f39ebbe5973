import { count } from "../../../shared/words/numbers.ts";
import { Failure, type Range } from "./values.ts";

/**
 * The most elements that one evaluation visits, in all its loops together. This takes about a second at most, and nothing can
 * interrupt it.
 */
export const maxSteps = 1_000_000;
/** The longest string that an evaluation builds, in UTF-16 units. */
const maxText = 1 << 26;
/** How deep values are compared. */
export const maxNesting = 500;

/** What one evaluation works on: the variables of the caller, those of macros, and the steps that are left. */
export interface Frame {
  readonly roots: Readonly<Record<string, unknown>>;
  readonly locals: unknown[];
  steps: number;
}

export type Run = (frame: Frame) => unknown;

/** Takes steps from the budget; gives the failure when there are not so many left. */
export function spend(frame: Frame, steps: number, at: Range): Failure | undefined {
  frame.steps -= steps;
  return frame.steps < 0
    ? new Failure(at, `The evaluation was stopped after ${count(maxSteps)} steps.`)
    : undefined;
}

/** The failure for a text that would become too long. */
export function tooLong(length: number, at: Range): Failure | undefined {
  return length > maxText
    ? new Failure(at, `The text would be longer than ${maxText} characters.`)
    : undefined;
}
