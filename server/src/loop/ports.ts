import type { LabelCount, LedgerEntry, Score } from "../../../shared/ledger/ledger.ts";
import type { FailureClass } from "../../../shared/model/failureClass.ts";
import type { Split } from "../../../shared/model/rollout.ts";
import type { Signals, Finding } from "../diagnosis/rules.ts";
import type { GroupColumns } from "../evidence/queries/groupColumns.ts";
import type { Project } from "../project/project.ts";
import type { ItemOutcomes } from "../statistics/scores/outcomes.ts";
import type { LoopEvent } from "./events.ts";

/** What was found out about a version from its archived evidence. */
export interface Diagnosis {
  readonly score: Score | null;
  readonly cleanScore: Score | null;
  readonly labels: readonly LabelCount[];
  readonly signals: Signals;
  /** Last values of the trainer's metrics, those that the field has a name for and all of them. */
  readonly training?: {
    readonly key: readonly { readonly role: string; readonly last: number | null }[];
    readonly all: readonly { readonly name: string; readonly last: number | null }[];
  };
  readonly findings: readonly Finding[];
}

export interface TrainRequest {
  readonly version: string;
  readonly commit: string;
  /** train: RL, then evaluation on the selection split. measure: evaluation of a policy on one split. */
  readonly work:
    { readonly type: "train" } | { readonly type: "measure"; readonly split: Exclude<Split, "train"> };
  /** The version whose policy it starts from; null to start from nothing. */
  readonly policyOf: string | null;
}

export interface TrainResult {
  readonly failure: FailureClass | null;
  readonly message: string;
  readonly seconds: number;
}

export interface NewVersion {
  readonly name: string;
  readonly parent: string;
  readonly edits: readonly { readonly path: string; readonly content: string }[];
  readonly message: string;
  readonly at: string;
}

/** A version that was proposed before, by a person, an assistant or an evolution. */
export interface EarlierProposal {
  readonly version: string;
  readonly commit: string;
  readonly intervention: string | null;
  readonly title: string;
  /** Approved, and neither trained nor decided yet. */
  readonly isTaken: boolean;
}

export interface EvidencePointer {
  readonly rollout: string;
  readonly turns: number[];
  readonly label: string;
}

/**
 * What the loop needs from the rest of the engine. Each call may be repeated with the same arguments after a crash and
 * then has no further effect.
 */
export interface LoopPorts {
  /** The project as a commit has it. */
  project(commit: string): Promise<Project>;
  readFile(commit: string, path: string): Promise<string | undefined>;
  /** Makes a version's commit on top of `parent` with these files changed, and its branch. Returns the commit. */
  createVersion(version: NewVersion): Promise<string>;
  /** The same for a proposal: its branch is that of proposals until it is accepted. */
  createProposal(version: NewVersion): Promise<string>;
  /** Makes an approved proposal the version of its name: the branch begins at what was accepted, which is returned. */
  acceptProposal(version: string): Promise<string>;
  /** What was proposed on top of a version outside the loop's own turns, in the order of the lineage. */
  proposalsOn(parent: string): Promise<readonly EarlierProposal[]>;
  /** The first number that no version's name has. */
  firstFreeNumber(): Promise<number>;
  appendToLedger(entries: readonly LedgerEntry[]): Promise<void>;
  /** Runs a version's jobs, one per seed, or waits for those that already run. `begun`: the first has its machine. */
  train(request: TrainRequest, signal: AbortSignal, begun?: () => void): Promise<TrainResult>;
  /** Brings the evidence of a version's finished jobs into the archive. */
  collect(version: string, split: Split | "all"): Promise<{ rows: number; quarantined: number }>;
  diagnose(version: string, project: Project): Promise<Diagnosis>;
  outcomes(version: string, split: Exclude<Split, "train">): Promise<ItemOutcomes[]>;
  /** The archived training groups of a version in step order, with the signals named. */
  trainGroups(version: string, signals: readonly string[]): Promise<GroupColumns>;
  /** A few rollouts with the given labels, and the turns that show them. */
  pointers(version: string, labels: readonly string[]): Promise<EvidencePointer[]>;
  emit(event: LoopEvent): void;
  now(): string;
}
