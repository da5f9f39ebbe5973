import type { EntryLog } from "./entryLog.ts";

/** An entry that the lineage cannot use, and why. */
export interface LineageProblem {
  readonly entry: string;
  readonly reason: string;
}

/** The places of the entries of a domain. */
export function placesOf(log: EntryLog, domain: string): number[] {
  const places: number[] = [];
  for (let place = 0; place < log.length; place++)
    if (log.domainOf(log.subjectAt(place)) === domain) places.push(place);
  return places;
}

/** By version the place of the entry that it begins with. */
export type Beginnings = Map<number, number>;

/** The versions in the order in which they are first told of. Of two that have one name the first counts that is no claim. */
export function beginnings(
  log: EntryLog,
  own: readonly number[],
  {
    isClaim,
    problems,
  }: { readonly isClaim: (place: number) => boolean; readonly problems: LineageProblem[] },
): Beginnings {
  const began: Beginnings = new Map();
  for (const place of own) {
    if (log.typeAt(place) !== "version") continue;
    const subject = log.subjectAt(place);
    const before = began.get(subject);
    if (before === undefined) {
      began.set(subject, place);
      continue;
    }
    if (isClaim(before) && !isClaim(place)) began.set(subject, place);
    const [first, entry] = [log.at(before), log.at(place)];
    if (first.type !== "version" || entry.type !== "version") continue;
    if (first.commit !== entry.commit || first.parent !== entry.parent)
      problems.push({
        entry: entry.id,
        reason: `version ${entry.version} exists with another commit or parent; ${began.get(subject) === before ? "the first" : "the signed one"} counts`,
      });
  }
  return began;
}

/** No ghost nodes: a version whose line of parents does not end at a version without one is set aside. */
export function removeUnrooted(
  log: EntryLog,
  own: readonly number[],
  began: Beginnings,
  problems: LineageProblem[],
): void {
  const parentOf = (subject: number): number => log.parentAt(began.get(subject) ?? -1);
  const rooted = new Set<number>();
  for (const subject of began.keys()) {
    const line = new Set<number>();
    let last: number | undefined;
    let at = subject;
    while (began.has(at) && !rooted.has(at) && !line.has(at)) {
      line.add((last = at));
      const parent = parentOf(at);
      if (parent === -1) {
        rooted.add(at);
        break;
      }
      at = parent;
    }
    if (last !== undefined && (rooted.has(last) || rooted.has(parentOf(last))))
      for (const one of line) rooted.add(one);
  }
  if (rooted.size === began.size) return;
  for (const place of own) {
    const subject = log.subjectAt(place);
    if (log.typeAt(place) !== "version" || rooted.has(subject)) continue;
    problems.push({
      entry: log.at(place).id,
      reason: `the parents of version ${log.nameOf(subject)} do not lead to a base version (${log.nameOf(parentOf(subject))} is missing or in a circle)`,
    });
  }
  for (const subject of [...began.keys()]) if (!rooted.has(subject)) began.delete(subject);
}

/** The versions in the order in which they were created, a parent before its children. */
export function parentsFirst(log: EntryLog, began: Beginnings): number[] {
  const ordered: number[] = [];
  const placed = new Set<number>();
  const line: number[] = [];
  for (const subject of began.keys()) {
    for (let at = subject; began.has(at) && !placed.has(at); at = log.parentAt(began.get(at) ?? -1)) {
      line.push(at);
      placed.add(at);
    }
    while (line.length > 0) {
      const next = line.pop();
      if (next !== undefined) ordered.push(next);
    }
  }
  return ordered;
}
