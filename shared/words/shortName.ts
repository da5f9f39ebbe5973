/** `v6` for `v6-efficiency-weight-2`; the long name is said on hover. */
export function shortName(name: string): string {
  return /^v\d+(?=-)/.exec(name)?.[0] ?? name;
}
