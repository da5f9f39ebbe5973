import { SubmitGroup } from "../job/submitGroup.ts";
import type { Member } from "./member.ts";

/** A job, and the group in which it may begin: of one name, each at its own place among them. */
export interface Grouped {
  readonly run: string;
  readonly group?: { readonly name: string; readonly index: number };
}

/** Finds the group of a job among those that begin on one machine in one go; undefined when it begins alone. */
export type Groups = (job: Grouped, member: Member) => SubmitGroup | undefined;

export function groupsOf(jobs: readonly { readonly job: Grouped; readonly member: Member }[]): Groups {
  const keyOf = (job: Grouped, { spec }: Member): string =>
    spec.inOneGo && job.group !== undefined ? `${spec.name} ${job.group.name}` : "";
  const members = new Map<string, Grouped[]>();
  for (const { job, member } of jobs) {
    const key = keyOf(job, member);
    if (key !== "") members.set(key, [...(members.get(key) ?? []), job]);
  }
  const groups = new Map<string, SubmitGroup>();
  // Also one alone, so that it is found among those that were begun with it before.
  for (const [key, own] of members)
    groups.set(
      key,
      new SubmitGroup(
        own[0]?.group?.name ?? "",
        own.map(({ run, group }) => ({ id: run, index: group?.index ?? 0 })),
      ),
    );
  return (job, member) => groups.get(keyOf(job, member));
}
