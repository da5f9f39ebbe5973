/** ISO 8601 of seconds since 1970; null for what is no such time, zero included. */
export function isoOf(seconds: number | undefined): string | null {
  if (seconds === undefined || seconds <= 0 || seconds > 8e12) return null;
  return new Date(seconds * 1000).toISOString();
}
