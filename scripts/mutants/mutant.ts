/** One guard taken out of the product: the tests beside it must notice. */
export interface Mutant {
  /** What the guard keeps out, as a sentence that the report prints. */
  readonly guard: string;
  readonly file: string;
  /** Text that stands once in the file. */
  readonly find: string;
  readonly replace: string;
  /** Test files that fail without the guard. */
  readonly tests: readonly string[];
  /** Whether the tests start the built command line. */
  readonly built?: boolean;
  /** Why no test can notice that the guard is gone, where that is so. */
  readonly explained?: string;
}

/** Mutants of one file. */
export const of = (
  file: string,
  tests: readonly string[],
  mutants: readonly (readonly [guard: string, find: string, replace: string])[],
  more: Pick<Mutant, "built" | "explained"> = {},
): Mutant[] => mutants.map(([guard, find, replace]) => ({ guard, file, find, replace, tests, ...more }));
