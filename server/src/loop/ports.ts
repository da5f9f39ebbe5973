import type { Factor } from "../../../shared/spec/common.ts";
import type { FailureClass } from "../../../shared/model/failureClass.ts";
import type { JobCost } from "../../../shared/ledger/ledger.ts";
import type { Comparison, MeasuredOn, Score } from "../../../shared/ledger/measures.ts";
import type { Edit } from "../../../shared/spec/edit.ts";
import type { Split } from "../../../shared/model/rollout.ts";
import type { Measurement, Terms } from "../decision/decide.ts";
import type { VerdictPorts } from "../decision/verdictPorts.ts";
import type { Finding } from "../diagnosis/rules.ts";
import type { Project } from "../project/project.ts";
import type { chooseDrafts } from "../proposals/chooseDrafts.ts";
import type { backtestProposal } from "../proposals/commitProposal.ts";
import type { ComposedDraft } from "../proposals/composedDraft.ts";
import type { draftOf } from "../proposals/draft.ts";
import type { AskedDrafts } from "../proposals/proposers/askProposer.ts";
import type { ApprovedOnRun } from "../proposals/standing/approvedOnRun.ts";
import type { TrackRecord } from "../proposals/proposers/trackRecord.ts";
import type { NewVersion, ProposalPorts } from "../proposals/ports.ts";
import type { ItemOutcomes } from "../statistics/scores/outcomes.ts";
import type { LoopEvent } from "./events.ts";
import type { ProcedureHistory } from "./procedureHistory.ts";

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
   * train: RL, then evaluation on the selection split: by the job that trained, or `apart`, by a fresh one alone, or
   * `twice`, by both, of which the fresh one counts. measure: evaluation of a policy on one split. again: one more evaluation
   * on the selection split of what was evaluated before, whose rollouts count for no version.
   */
  readonly work:
    | { readonly type: "train"; readonly measured?: "apart" | "twice" }
    | { readonly type: "measure"; readonly split: MeasuredSplit }
    | { readonly type: "again" };
  /** One job for each. */
  readonly seeds: readonly number[];
  /** The version whose policy it starts from; null to start from nothing. */
  readonly policyOf: string | null;
}

export interface TrainResult {
  readonly failure: FailureClass | null;
  readonly message: string;
  readonly seconds: number;
  /** What its jobs took, for the ledger, as far as the engine knows. */
  readonly cost?: JobCost;
}

/** A version that was proposed before, by a person, an assistant or an evolution. */
export interface EarlierProposal {
  readonly version: string;
  readonly commit: string;
  readonly intervention: string | null;
  /** What it changes; null where the ledger does not say. */
  readonly edit: readonly Edit[] | null;
  readonly title: string;
  /** Approved, and neither trained nor decided yet; a harness version is not taken, because it is not trained. */
  readonly isTaken: boolean;
  /** Of a merge its second parent, and the version whose edits it takes out; null of any other change. */
  readonly merges: string | null;
  readonly without: string | null;
  /** The proposal that was sent back and that it answers; null where it answers none. */
  readonly answers: string | null;
}

export interface EvidencePointer {
  readonly rollout: string;
  readonly turns: number[];
  readonly label: string;
}

/** A training of a version that finished. */
export interface TrainedSeed {
  readonly seed: number;
  readonly seconds: number | null;
}

export type ComposeRequest =
  | { readonly type: "merge"; readonly champion: string; readonly of?: readonly [string, string] }
  | { readonly type: "subtract"; readonly champion: string; readonly without?: string };

/** A kept version that changes can be made of. */
export interface KeptVersion {
  readonly name: string;
  readonly parent: string | null;
  readonly score: number | null;
}

/** A proposal that changes only how evidence is read. */
export interface HarnessProposal {
  readonly version: string;
  readonly intervention: string | null;
  readonly edit: readonly Edit[] | null;
  /** It is not decided yet. */
  readonly isOpen: boolean;
}

/** What a proposer that is no search is asked in a generation. */
export interface LoopQuestion {
  /** The version to change. */
  readonly parent: string;
  readonly generation: number;
  readonly findings: readonly Finding[];
  readonly count: number;
  /** The factors that may change; null for all that it owns. */
  readonly factors: readonly Factor[] | null;
  /** The proposal of it that was sent back, with what was said; null where it is to propose something new. */
  readonly answers: { readonly version: string; readonly title: string; readonly comment: string } | null;
}

/** How proposals are made: the one path of all of them, as functions of what they are asked. */
export interface Proposing {
  readonly chooseDrafts: typeof chooseDrafts;
  readonly draftOf: typeof draftOf;
  readonly backtestProposal: typeof backtestProposal;
}

/** The models and agents of the project; a promotion asks none of them. */
export interface AskingPorts {
  /**
   * The drafts of a model or an agent of the project, checked. The same question asked again after a crash has the same answer,
   * and is not paid for again. @throws HarnessError where it cannot be asked, or none of its drafts passes the checks
   */
  askProposer(name: string, question: LoopQuestion): Promise<AskedDrafts>;
  /** What came of the drafts of these proposers so far. */
  trackRecords(proposers: readonly string[]): Promise<readonly TrackRecord[]>;
}

/**
 * What the loop needs from the rest of the engine. Each call may be repeated with the same arguments after a crash and
 * then has no further effect.
 */
export interface LoopPorts extends ProposalPorts, VerdictPorts, AskingPorts {
  readonly proposing: Proposing;
  /** The project as a commit has it. */
  project(commit: string): Promise<Project>;
  /** Makes the commit of a version that is no proposal on top of `parent`, and its branch. Returns the commit. */
  createVersion(version: NewVersion): Promise<string>;
  /** Makes an approved proposal the version of its name: the branch begins at what was accepted, which is returned. */
  acceptProposal(version: string): Promise<{ readonly commit: string; readonly title: string }>;
  /**
   * A draft that is made of kept versions: a merge of two of which neither comes from the other, or the best version without
   * one of its edits; of those named, or of the most promising that were not tried. Null where there can be none.
   */
  compose(asked: ComposeRequest): Promise<ComposedDraft | null>;
  /** What was proposed on top of a version outside the loop's own turns, in the order of the lineage. */
  proposalsOn(parent: string): Promise<readonly EarlierProposal[]>;
  /** Changes of imported runs that a person approved and that no version of the evolution took over yet. */
  approvedOnRuns(): Promise<readonly ApprovedOnRun[]>;
  /** The harness versions of the domain that were ever proposed, in the order of the lineage. */
  harnessProposals(): Promise<readonly HarnessProposal[]>;
  /** What the next harness version is made of: the last one that is in force, or else this version. */
  harnessParent(otherwise: string): Promise<string>;
  /** Admits an approved harness version on the archive, or not, and records that; nothing is trained. */
  admit(version: string): Promise<{ readonly decision: "keep" | "reject"; readonly reason: string }>;
  /** What the ledger tells of the procedure before a generation, of changes that are made of a version. */
  procedureHistory(parent: string, generation: number): Promise<ProcedureHistory>;
  /** The first number that no version's name has. */
  firstFreeNumber(): Promise<number>;
  /** What a version was approved on. */
  termsOf(version: string): Promise<Terms>;
  /** The baseline and what is kept above it and stands: in the order of the lineage, without what was reverted. */
  keptOn(baseline: string): Promise<readonly KeptVersion[]>;
  /** The trainings of a version that finished, by its jobs in the ledger: each seed once, in the order of the ledger. */
  trained(version: string): Promise<readonly TrainedSeed[]>;
  /** What a version was made of; null for the base policy. */
  parentOf(version: string): Promise<string | null>;
  /** The baseline and what is above it, as far as it was trained with two seeds or more. */
  replicated(baseline: string): Promise<readonly string[]>;
  /** Whether the ledger has an entry of this id. */
  isRecorded(id: string): Promise<boolean>;
  /** Runs a version's jobs, one per seed, or waits for those that already run. `begun`: the first has its machine. */
  train(request: TrainRequest, signal: AbortSignal, begun?: () => void): Promise<TrainResult>;
  /**
   * Has fresh jobs measure a version on the selection split, from the policy that it left: then only what they find counts.
   * Null where it was measured so before, or need not be.
   */
  remeasure(version: string, commit: string, seeds: readonly number[]): Promise<TrainResult | null>;
  /** Brings the evidence of a version's finished jobs into the archive. */
  collect(version: string, split: Split | "all"): Promise<{ rows: number; quarantined: number }>;
  diagnose(version: string, project: Project): Promise<Diagnosis>;
  /** The outcomes on the selection split of the jobs with these seeds. */
  outcomes(version: string, seeds: readonly number[]): Promise<readonly ItemOutcomes[]>;
  /**
   * The outcomes of another evaluation of a version's policy of one seed than the one that counts: what the job that trained
   * it measured, or else a job of its own. Null where there is none.
   */
  outcomesAgain(version: string, seed: number): Promise<readonly ItemOutcomes[] | null>;
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
