import type { FileChange } from "../lineage/hunks.ts";
import type { Lineage } from "../lineage/graph.ts";
import type { VersionRecord } from "../lineage/records/versionRecord.ts";
import type { ProjectSpec } from "../../../shared/spec/project.ts";
import type { FileSource } from "../project/source.ts";
import type { Draft } from "./draft.ts";

/** A draft that is made of versions that were kept: a merge of two, or a version without one of its edits. */
export interface ComposedDraft extends Draft {
  /** The version that it changes, and that it is decided against. */
  readonly parent: VersionRecord;
}

export interface ComposedDrafts {
  /** The most promising first. */
  readonly drafts: readonly ComposedDraft[];
  /** What cannot be made and why, a sentence each. */
  readonly passedOver: readonly string[];
}

/** What drafts are composed from. Nothing is written. */
export interface ComposePorts {
  source(commit: string): FileSource;
  /** What a commit changes of another one's files. @throws HarnessError badInput for a change that has no lines */
  changes(base: string, proposed: string): Promise<readonly FileChange[]>;
}

export interface ComposeGround {
  readonly lineage: Lineage;
  /** What the project declares now. */
  readonly declared: ProjectSpec;
}
