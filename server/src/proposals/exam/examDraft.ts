import type { GivenEdit } from "../../../../shared/spec/edit.ts";
import type { Factor } from "../../../../shared/spec/common.ts";
import type { Case } from "../../memory/cases/case.ts";
import type { Profile } from "../../memory/cases/profile.ts";
import type { VersionRecord } from "../../lineage/records/versionRecord.ts";
import type { CandidateIdea } from "../search/candidateIdea.ts";

/** What a change did to the score against its parent: the more the better; minus infinity where it was invalid. */
export interface ExamEffect {
  readonly effect: number;
  /** Of a recorded comparison it is known within an interval; the difference of two recorded scores has none. */
  readonly by: "comparison" | "score";
  /** What another tool measured, in its own unit; null for the score of the project and for solve rates, in [-1, 1]. */
  readonly metric: string | null;
}

/** A draft whose outcome is hidden in the exam. */
export interface ExamDraft extends ExamEffect {
  readonly version: string;
  /** What a proposer is told that it is called. */
  readonly name: string;
  readonly idea: CandidateIdea;
  /** Null where nobody said it, whatever the idea has in its place. */
  readonly factor: Factor | null;
}

/** The moment at which the first change of a version was chosen, with what was known then. */
export interface ExamMoment {
  readonly parent: VersionRecord;
  /** That of the first change. */
  readonly generation: number;
  /** Two or more; of imported ones the order says nothing, otherwise it is that of the lineage. */
  readonly drafts: readonly ExamDraft[];
  /** What was decided before. */
  readonly cases: readonly Case[];
  readonly profile: Profile | null;
  /** Another tool made the drafts, so that the archive holds nothing of them. */
  readonly isImported: boolean;
}

/** What a version has otherwise than its parent. */
export interface ExamChange {
  readonly edits: readonly GivenEdit[];
  readonly factor: Factor | null;
}

/** Why a version is no draft of an exam, as what follows its count and a colon. */
export const leftOutWords = {
  undecided: "not decided yet",
  claim: "nobody who is trusted here signed them",
  noSingleChange: "no single change, but a baseline, a merge, a subtraction or an edit of a person",
  uncompared: "not compared with the parent",
  unscored: "no score was recorded",
  parentUnscored: "no score of the parent was recorded",
  otherMetric: "measured by another metric than the parent",
  otherUnit: "measured by another metric than most changes of the same parent",
  noDirection: "nothing says whether more of the metric is better",
  severalParents: "made from several versions at once",
  undescribed: "nothing from before the outcome says what was changed: no file differs, and there is no plan",
  same: "as good as every other change of the same parent, so that no order of them is wrong",
  alone: "no other change of the same parent can be asked about",
} as const;
export type LeftOutReason = keyof typeof leftOutWords;

export interface LeftOut {
  readonly because: string;
  readonly versions: number;
}
