/** The ISO 8601 time of seconds since the epoch; undefined outside the years that a run can be from. */
export function isoOfSeconds(seconds: number | undefined): string | undefined {
  if (seconds === undefined || seconds < 0 || seconds > 32_503_680_000) return undefined;
  return new Date(seconds * 1000).toISOString();
}

/** Milliseconds of a time as text; a text without a zone is taken as UTC, which differences do not show. */
export function millisOf(time: string | undefined): number | undefined {
  if (time === undefined) return undefined;
  const zoned = /(?:Z|[+-]\d\d:?\d\d)$/.test(time) ? time : `${time}Z`;
  const millis = Date.parse(zoned.replace(" ", "T"));
  return Number.isFinite(millis) ? millis : undefined;
}

/** Milliseconds between two times as text; undefined when one is missing or the clock went back. */
export function millisBetween(from: string | undefined, to: string | undefined): number | undefined {
  const [start, end] = [millisOf(from), millisOf(to)];
  return start === undefined || end === undefined || end < start ? undefined : end - start;
}
