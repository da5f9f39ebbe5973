import { counted } from "../../../../shared/words/numbers.ts";

/** How many earlier steps say how many rollouts a step has. */
const looksBack = 5;

/** After this many seconds without a new byte nobody is writing a step any more. */
const quietSeconds = 10;

/** A step, and what is known of whether more of it comes. */
export interface Completeness {
  readonly step: number;
  readonly rollouts: number;
  /** Rollouts that a step usually has; null before there is a second step. */
  readonly expected: number | null;
  readonly isComplete: boolean;
  /** Why it counts as incomplete, as a clause; null where it is complete. */
  readonly why: string | null;
}

/**
 * Whether all rollouts of the newest step are here. It is incomplete while it has fewer than the steps before it (their
 * median), or while its files grew in the last seconds. Undefined without a step.
 * @param quietFor Seconds since the files of the newest step grew; null where nobody knows.
 */
export function completenessOf(
  steps: readonly { readonly step: number; readonly rollouts: number }[],
  quietFor: number | null,
): Completeness | undefined {
  const newest = steps.at(-1);
  if (newest === undefined) return undefined;
  const expected = usualSize(steps.slice(0, -1));
  const { step, rollouts } = newest;
  const why =
    expected !== null && rollouts < expected
      ? `the steps before it have ${counted(expected, "rollout")}`
      : quietFor !== null && quietFor < quietSeconds
        ? `its files grew in the last ${quietSeconds} s`
        : null;
  return { step, rollouts, expected, isComplete: why === null, why };
}

/** The newest step that is not the last one, or the last one where it has as many rollouts as those before it. */
export function wholeSteps(
  steps: readonly { readonly step: number; readonly rollouts: number }[],
): readonly number[] {
  const expected = usualSize(steps.slice(0, -1));
  return steps
    .filter(({ rollouts }, i) => i < steps.length - 1 || expected === null || rollouts >= expected)
    .map(({ step }) => step);
}

function usualSize(before: readonly { readonly rollouts: number }[]): number | null {
  const sizes = before
    .slice(-looksBack)
    .map(({ rollouts }) => rollouts)
    .sort((a, b) => a - b);
  return sizes[Math.floor(sizes.length / 2)] ?? null;
}
