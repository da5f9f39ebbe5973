import type { FailureClass } from "../../../shared/model/failureClass.ts";
import type { Comparison, MeasuredOn, Score } from "../../../shared/ledger/measures.ts";
import type { Split } from "../../../shared/model/rollout.ts";
import type { Measurement, Terms } from "../decision/decide.ts";
import type { VerdictPorts } from "../decision/verdictPorts.ts";
import type { Finding } from "../diagnosis/rules.ts";
import type { Project } from "../project/project.ts";
import type { NewVersion, ProposalPorts } from "../proposals/ports.ts";
import type { LoopEvent } from "./events.ts";

/** What was found out about a version, and what it calls for. */
export interface Diagnosis extends Measurement {
  readonly findings: readonly Finding[];
}

/** The splits that versions are measured on. */
export type MeasuredSplit = Exclude<Split, "train">;

export interface CompareRequest {
  readonly split: MeasuredSplit;
  readonly confidence: number;
  /** How many are compared with the same one, of which the best is chosen. */
  readonly candidates?: number;
}

export interface TrainRequest {
  readonly version: string;
  readonly commit: string;
  /**
   * train: RL, then evaluation on the selection split. measure: evaluation of a policy on one split. clean: evaluation of a
   * policy on the selection split in another version's environment, whose evidence is that of no version.
   */
  readonly work:
    | { readonly type: "train" }
    | { readonly type: "measure"; readonly split: MeasuredSplit }
    | { readonly type: "clean" };
  /** The version whose policy it starts from; null to start from nothing. */
  readonly policyOf: string | null;
}

export interface TrainResult {
  readonly failure: FailureClass | null;
  readonly message: string;
  readonly seconds: number;
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
export interface LoopPorts extends ProposalPorts, VerdictPorts {
  /** The project as a commit has it. */
  project(commit: string): Promise<Project>;
  /** Makes the commit of a version that is no proposal on top of `parent`, and its branch. Returns the commit. */
  createVersion(version: NewVersion): Promise<string>;
  /** Makes an approved proposal the version of its name: the branch begins at what was accepted, which is returned. */
  acceptProposal(version: string): Promise<{ readonly commit: string; readonly title: string }>;
  /** What was proposed on top of a version outside the loop's own turns, in the order of the lineage. */
  proposalsOn(parent: string): Promise<readonly EarlierProposal[]>;
  /** The first number that no version's name has. */
  firstFreeNumber(): Promise<number>;
  /** What a version was approved on. */
  termsOf(version: string): Promise<Terms>;
  /** Runs a version's jobs, one per seed, or waits for those that already run. `begun`: the first has its machine. */
  train(request: TrainRequest, signal: AbortSignal, begun?: () => void): Promise<TrainResult>;
  /** Brings the evidence of a version's finished jobs into the archive. */
  collect(version: string, split: Split | "all"): Promise<{ rows: number; quarantined: number }>;
  diagnose(version: string, project: Project): Promise<Diagnosis>;
  /** The score of a version on a split; null where no outcome is known. */
  score(version: string, split: MeasuredSplit): Promise<Score | null>;
  /** A version against another, item by item; null where no item has a known outcome in both. */
  compare(version: string, against: string, how: CompareRequest): Promise<Comparison | null>;
  /** What a version was measured on, for the ledger; null where its commit cannot say. */
  measuredOn(version: string, work: "train" | MeasuredSplit): Promise<MeasuredOn | null>;
  /**
   * Why two versions cannot be compared, in a sentence: they were not measured on the same. Null where they can. `on`: what
   * the first was measured on, where the ledger does not say it yet.
   */
  whyNotComparable(version: string, against: string, on?: MeasuredOn | null): Promise<string | null>;
  /** A few rollouts with the given labels, and the turns that show them. */
  pointers(version: string, labels: readonly string[]): Promise<EvidencePointer[]>;
  emit(event: LoopEvent): void;
}
