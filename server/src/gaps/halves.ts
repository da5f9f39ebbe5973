/** A rollout with what tells on which side it falls. */
interface Placed {
  readonly item: string;
  readonly group: string;
}

/** With fewer items than this the groups are divided: otherwise one side may be empty. */
const fewItems = 8;

/**
 * For each rollout whether conditions are induced on it (true) or judged on it (false). All rollouts of an item are on one
 * side, in every version; where there are few items, all rollouts of a group. The same seed gives the same halves.
 */
export function halvesOf(rollouts: readonly Placed[], seed: number): boolean[] {
  const isByItem = new Set(rollouts.map(({ item }) => item)).size >= fewItems;
  return rollouts.map(({ item, group }) => hash(`${seed} ${isByItem ? item : group}`) % 2 === 0);
}

/** FNV-1a, its bits mixed once more because the last one alone decides. */
function hash(text: string): number {
  let h = 0x811c9dc5;
  for (let i = 0; i < text.length; i++) h = Math.imul(h ^ text.charCodeAt(i), 0x01000193);
  h = Math.imul(h ^ (h >>> 16), 0x85ebca6b);
  h = Math.imul(h ^ (h >>> 13), 0xc2b2ae35);
  return (h ^ (h >>> 16)) >>> 0;
}
