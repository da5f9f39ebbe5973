import type { LedgerEntry } from "../../../shared/ledger/ledger.ts";
import type { DiagnosticSpec } from "../../../shared/spec/diagnostic.ts";
import type { SkillSpec } from "../../../shared/spec/skill.ts";
import type { GroupColumns } from "../evidence/queries/groupColumns.ts";
import type { Case } from "../memory/cases/case.ts";
import type { KnownSkill } from "../memory/skills/record.ts";
import type { Profile } from "../memory/cases/profile.ts";
import type { FileSource } from "../project/source.ts";

export interface NewVersion {
  readonly name: string;
  readonly parent: string;
  readonly edits: readonly { readonly path: string; readonly content: string | null }[];
  readonly message: string;
  readonly at: string;
}

/** What proposals are made with, by whoever makes them. Each call may be repeated after a crash with no further effect. */
export interface ProposalPorts {
  /** The files of the project as a commit has them. */
  source(commit: string): FileSource;
  /** The archived training groups of a version in step order, with the signals named. */
  trainGroups(version: string, signals: readonly string[]): Promise<GroupColumns>;
  /**
   * Of the archived training rollouts of a version, by label, the numbers (rids) of those that carry it. The diagnostics are tried
   * now: the loop labels the selection split alone.
   */
  trainLabels(
    version: string,
    diagnostics: readonly DiagnosticSpec[],
  ): Promise<ReadonlyMap<string, readonly number[]>>;
  /** Every decided version of the domain as a case, in the order of the lineage, and what a version fails at. */
  cases(): Promise<readonly Case[]>;
  profile(version: string): Promise<Profile | null>;
  /** These skills, and those of the user's library and of kept versions, each with its record in this lineage. */
  skills(own: readonly SkillSpec[]): Promise<readonly KnownSkill[]>;
  /** What the archive says of a change of how evidence is read, as a backtest; null for a change of anything else. */
  harnessFigures(change: {
    readonly parent: string;
    readonly commit: string;
  }): Promise<{ readonly summary: string; readonly figures: Record<string, number | null> } | null>;
  /** Makes a commit on top of `parent` with these files changed, on the branch of proposals. Returns the commit. */
  createProposal(version: NewVersion): Promise<string>;
  appendToLedger(entries: readonly LedgerEntry[]): Promise<void>;
  now(): string;
}
