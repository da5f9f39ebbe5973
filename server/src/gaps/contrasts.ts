/** A rollout as contrasts see it. */
export interface Contrasted {
  /** Whether it is of the version that was asked for, and not of the one that it is compared with. */
  readonly own: boolean;
  readonly outcome: string;
  /** Whether a label in force holds for it. */
  readonly labelled: boolean;
  /** Whether the other version mostly fails its item. */
  readonly failedBefore: boolean;
}

export interface ContrastKind {
  readonly name: string;
  /** What its drafts are said to tell apart. */
  readonly says: string;
  /** What a draft requires besides, because the contrast is among these rollouts only. */
  readonly within: string | null;
  /** Which side a rollout is on; null where it is on neither. */
  readonly side: (rollout: Contrasted) => "positive" | "negative" | null;
}

const isFail = ({ outcome }: Contrasted): boolean => outcome === "fail";
const isPass = ({ outcome }: Contrasted): boolean => outcome === "pass";

/** What is contrasted; those that compare with another version need one. */
export const contrastKinds: readonly (ContrastKind & { readonly needsOther: boolean })[] = [
  {
    ...{ name: "unexplained", within: null, needsOther: false },
    says: "failures that no label explains from passes",
    side: (r) => (!r.own ? null : isFail(r) && !r.labelled ? "positive" : isPass(r) ? "negative" : null),
  },
  {
    ...{ name: "unlike-others", within: null, needsOther: false },
    says: "failures that no label explains from those that one explains",
    side: (r) => (!r.own || !isFail(r) ? null : r.labelled ? "negative" : "positive"),
  },
  {
    ...{ name: "failed", within: null, needsOther: false },
    says: "failures from passes",
    side: (r) => (!r.own ? null : isFail(r) ? "positive" : isPass(r) ? "negative" : null),
  },
  {
    ...{ name: "new", within: null, needsOther: true },
    says: "this version from the other one",
    side: (r) => (r.own ? "positive" : "negative"),
  },
  {
    ...{ name: "new-passes", within: 'outcome == "pass"', needsOther: true },
    says: "the passes of this version from those of the other one",
    side: (r) => (!isPass(r) ? null : r.own ? "positive" : "negative"),
  },
];

/**
 * What passes now and did not before, against all that passed in the other version: what is drafted from it is told only where
 * it is a new way to pass (newWay.ts).
 */
export const newWayKind: ContrastKind = {
  ...{ name: "new-way", within: 'outcome == "pass"' },
  says: "passes on items that the other version mostly fails from the passes of the other one",
  side: (r) => (!isPass(r) ? null : !r.own ? "negative" : r.failedBefore ? "positive" : null),
};
