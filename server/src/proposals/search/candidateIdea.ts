import type { Finding } from "../../diagnosis/rules.ts";
import type { GivenEdit } from "../../../../shared/spec/edit.ts";
import { isPatch } from "../../../../shared/spec/edit.ts";
import type { InterventionSpec } from "../../../../shared/spec/intervention.ts";
import type { Factor } from "../../../../shared/spec/common.ts";
import type { CasePart } from "../../memory/cases/case.ts";
import type { SkillUse } from "../../../../shared/ledger/skillUse.ts";
import type { Project } from "../../project/project.ts";
import type { FileSource } from "../../project/source.ts";

/**
 * Where an idea comes from: an intervention of the project, a skill, a general move on a value that a surface declares, or
 * one of these together with what a tried version changed.
 */
export type IdeaOrigin = "intervention" | "skill" | "move" | "combination";

/** A change that the search looks at. Its edits have their values. */
export interface CandidateIdea {
  readonly origin: IdeaOrigin;
  readonly spec: InterventionSpec & { readonly edit: readonly GivenEdit[] };
  /** What its author expects of the score, in [-1, 1]; null where nobody said. */
  readonly declared: number | null;
  /** It answers only what the archive shows that it moves: nobody said what it is for. */
  readonly isOpenEnded: boolean;
  /** The skill that it uses, with what that is expected to do: the use is scored. */
  readonly skill?: SkillUse;
  /** The tried version whose edits come first, as they were. */
  readonly joins?: Joined;
}

export interface Joined {
  readonly version: string;
  readonly parts: readonly CasePart[];
  /** The factors of all its edits, and of those that are added. */
  readonly factors: readonly Factor[];
}

/** What ideas are made of. */
export interface IdeaGround {
  readonly project: Project;
  readonly parent: FileSource;
  readonly findings: readonly Finding[];
  /** The skills that fit the version, as ideas. */
  readonly skills: readonly CandidateIdea[];
}

/** Makes ideas from one kind of template. The same ground gives the same ideas in the same order. */
export type IdeaSource = (ground: IdeaGround) => Promise<readonly CandidateIdea[]>;

/** One text for the same edits. */
export const keyOf = ({ edit }: { readonly edit: readonly GivenEdit[] }): string =>
  JSON.stringify(edit.map((one) => (isPatch(one) ? [one.patch] : [one.file, one.path, one.to])).sort());
