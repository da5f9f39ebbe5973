import type { VersionRecord } from "../../lineage/records/versionRecord.ts";

/** A label of a version: how many of how many rollouts (or groups) carry it. */
export interface LabelRate {
  readonly labelled: number;
  readonly of: number;
}

/** What a version fails at, by its last evaluation on the selection split. */
export interface Profile {
  /** By label; those that no rollout carries are left out. */
  readonly rates: ReadonlyMap<string, LabelRate>;
  /** The labels with an alert. */
  readonly alerts: readonly string[];
}

/** The profile of a version; null where it was not evaluated. */
export function profileOf({ evidence }: Pick<VersionRecord, "evidence">): Profile | null {
  const labels = evidence.selection?.labels;
  if (labels === undefined) return null;
  return {
    rates: new Map(
      labels
        .filter(({ labelled, rollouts }) => labelled > 0 && rollouts > 0)
        .map(({ name, labelled, rollouts }) => [name, { labelled, of: rollouts }]),
    ),
    alerts: labels.filter(({ alert }) => alert !== null).map(({ name }) => name),
  };
}

export const shareOf = ({ labelled, of }: LabelRate): number => (of === 0 ? 0 : labelled / of);

/** A label has to move by this much, and by more than chance moves it, before the failures are called other ones. */
const leastMove = 0.1;
const clearly = 2.58;

/** Whether two versions differ in what they fail at: one of the labels named is clearly rarer or more frequent. */
export function hasOtherFailures(one: Profile, other: Profile, names: readonly string[]): boolean {
  for (const name of names) {
    const [a, b] = [one.rates.get(name), other.rates.get(name)];
    const [na, nb] = [a?.of ?? b?.of ?? 1, b?.of ?? a?.of ?? 1];
    const [pa, pb] = [a === undefined ? 0 : shareOf(a), b === undefined ? 0 : shareOf(b)];
    const pooled = (pa * na + pb * nb) / (na + nb);
    const error = Math.sqrt(pooled * (1 - pooled) * (1 / na + 1 / nb));
    const move = Math.abs(pa - pb);
    if (move >= leastMove && move > clearly * error) return true;
  }
  return false;
}
