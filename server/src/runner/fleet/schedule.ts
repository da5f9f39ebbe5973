/** A machine as the choice of a place sees it. Times in milliseconds since 1970. */
export interface Place {
  readonly name: string;
  /** Jobs that may be there at the same time, and those that are. */
  readonly slots: number;
  readonly busy: number;
  /** Of those, how many wait for the machine itself: for its GPUs, or in the queue of Slurm. */
  readonly waiting: number;
  /** Jobs that are over and still being closed: they take no place, but what they leave of the budget is not known yet. */
  readonly closing: number;
  /** What an hour of the job costs there. */
  readonly price: number;
  /** The job fits into what is left of the budget. */
  readonly fits: boolean;
  /** When a job that does not fit now will; undefined when never. */
  readonly fitsFrom: number | undefined;
  /** It cannot be reached before this time, or does not take jobs. */
  readonly awayUntil: number;
}

export type Choice =
  | { readonly type: "place"; readonly name: string }
  /** Until a job is over, or at the latest until a time. */
  | { readonly type: "wait"; readonly until: number | undefined }
  /** The budgets of all places are used up for good. */
  | { readonly type: "never" };

/**
 * Where a job is started: where it begins soonest within the budget, then where it is cheapest, then where most is free;
 * among equals the first. A place where nothing can begin now is not waited for while another one is free.
 */
export function choosePlace(places: readonly Place[], now: number): Choice {
  const free = places.filter((p) => p.fits && p.awayUntil <= now && p.busy < p.slots);
  const [first, ...others] = free;
  if (first !== undefined)
    return { type: "place", name: others.reduce((best, p) => (isBetter(p, best) ? p : best), first).name };
  const waits = places.flatMap((p) => {
    if (p.fits) return [p.busy < p.slots ? p.awayUntil : undefined];
    // What runs may take less than it might: room can come back without time.
    if (p.fitsFrom !== undefined) return [Math.max(p.fitsFrom, p.awayUntil)];
    return p.busy + p.closing > 0 ? [undefined] : [];
  });
  if (waits.length === 0) return { type: "never" };
  const times = waits.filter((time) => time !== undefined);
  return { type: "wait", until: times.length === 0 ? undefined : Math.min(...times) };
}

function isBetter(a: Place, b: Place): boolean {
  const isHeldUp = (p: Place): number => (p.waiting > 0 ? 1 : 0);
  const use = (p: Place): number => p.busy / p.slots;
  return (isHeldUp(a) - isHeldUp(b) || a.price - b.price || use(a) - use(b)) < 0;
}
