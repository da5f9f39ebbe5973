/**
 * The points of several runs that can stand on one curve. Where runs go over the same steps, such as two seeds of which one ended early,
 * a mean that lost one of them moves although neither did: only the steps that all of them have are kept, and a run with fewer than
 * half the steps of the longest is left out. Runs that follow each other, such as one that was resumed under another name, are put
 * together, and so are files of one step each.
 */
export function onCommonSteps<T extends { readonly run: string; readonly step: number }>(
  points: readonly T[],
): T[] {
  const stepsOf = new Map<string, number[]>();
  for (const { run, step } of points) {
    const steps = stepsOf.get(run) ?? [];
    stepsOf.set(run, steps);
    steps.push(step);
  }
  const isKept = commonSteps(stepsOf);
  return points.filter(({ run, step }) => isKept(run, step));
}

/** Tells whether a step of a run is to be kept. */
function commonSteps(
  stepsOf: ReadonlyMap<string, readonly number[]>,
): (run: string, step: number) => boolean {
  const longest = Math.max(0, ...[...stepsOf.values()].map((steps) => steps.length));
  const runs = [...stepsOf].map(([run, steps]) => ({ run, steps: new Set(steps) }));
  // A run of one step is a file of a run.
  const long = runs.filter(({ steps }) => steps.size > 1);
  const overlaps = long.some((a, i) => long.slice(i + 1).some((b) => goOver(a.steps, b.steps)));
  if (!overlaps) return () => true;
  const whole = runs.filter(({ steps }) => steps.size * 2 >= longest);
  const kept = new Set(whole.map(({ run }) => run));
  const [first, ...others] = whole;
  const common = new Set(
    [...(first?.steps ?? [])].filter((step) => others.every(({ steps }) => steps.has(step))),
  );
  return (run, step) => kept.has(run) && common.has(step);
}

/** Whether half of the shorter run lies on steps of the other. */
function goOver(a: ReadonlySet<number>, b: ReadonlySet<number>): boolean {
  const [few, many] = a.size < b.size ? [a, b] : [b, a];
  return [...few].filter((step) => many.has(step)).length * 2 >= few.size;
}
