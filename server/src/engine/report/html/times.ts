/** `2026-01-03 12:00 UTC`: a report is read in other time zones than the one it was made in. */
export function utc(at: string): string {
  const date = new Date(at);
  return Number.isNaN(date.getTime()) ? at : `${date.toISOString().slice(0, 16).replace("T", " ")} UTC`;
}
