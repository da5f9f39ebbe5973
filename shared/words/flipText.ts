interface Counts {
  readonly pass: number;
  readonly fail: number;
}

/**
 * What became of an item. It is fixed only where every sample failed before and every one passes now, and broken the other way
 * round; of 4 of 8 that became 3 of 4 nothing was fixed: it is solved more often.
 */
export function flipWord({
  direction,
  before,
  after,
}: {
  readonly direction: "fixed" | "broken";
  readonly before: Counts;
  readonly after: Counts;
}): string {
  const [failing, passing] = direction === "fixed" ? [before, after] : [after, before];
  const isWhole = failing.pass === 0 && passing.fail === 0;
  if (isWhole) return direction;
  return direction === "fixed" ? "solved more often" : "solved less often";
}
