/** 27.5 % for 11 of 40; no decimals where there are none. */
export function shareOf(count: number, of: number): string {
  return of === 0 ? "none" : percentOf(count / of);
}

export function percentOf(share: number): string {
  return `${Number((100 * share).toFixed(1))} %`;
}

/** 1 group, 2 groups. */
export function counted(count: number, one: string, many = `${one}s`): string {
  return `${count.toLocaleString("en")} ${count === 1 ? one : many}`;
}
