type Seeds = readonly [number, number] | undefined;

/**
 * Whether more seeds of either version count by now than at a decision, which then went by a part of them. Of decisions by earlier
 * releases nobody knows how many it were.
 */
export const hasSeedsSince = (decided: Seeds, now: Seeds): boolean =>
  decided !== undefined && now !== undefined && now.some((count, i) => count > (decided[i] ?? 0));
