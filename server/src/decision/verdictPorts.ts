import type { CleanWay } from "../../../shared/ledger/ledger.ts";
import type { InParentEnvironment, NewWay } from "../../../shared/ledger/newWay.ts";
import type { Comparison, Score } from "../../../shared/ledger/measures.ts";
import type { HypothesisResult } from "../../../shared/ledger/hypothesisResult.ts";
import type { Subtraction } from "./subtraction.ts";
import type { Project } from "../project/project.ts";

/** An invalid version's score without the leak, and how it was made. */
export interface CleanEvaluation {
  readonly by: CleanWay;
  /** Null where no outcome is known. */
  readonly score: Score | null;
  /** Of counted: why the policy was not evaluated once more, in a sentence; null where nobody asked for it. */
  readonly because: string | null;
}

export interface CleanRequest {
  readonly version: string;
  /** Whose environment it is evaluated in; null for a version without a parent. */
  readonly parent: string | null;
  /** Whether the version has a policy: where its job failed, there is nothing to evaluate. */
  readonly hasPolicy: boolean;
  /** The score with the labelled rollouts as failures: what counts where it cannot be evaluated. */
  readonly counted: Score | null;
}

/** Where the gain of a version comes from, as far as its passes tell. */
export interface Gain {
  readonly newWays: readonly NewWay[];
  /** Null where the environment is that of the parent but for numbers, and no new way was found. */
  readonly inParentEnvironment: InParentEnvironment | null;
}

/** What deciding needs from the archive and from the machines. Each call may be repeated after a crash. */
export interface VerdictPorts {
  /**
   * What became of the hypothesis of a version against its parent, for `decideVersion`; null where it makes none, or where
   * one of the two has no rollouts. To be asked once both have been diagnosed, with the comparison that decides.
   */
  hypothesisResult(
    request: {
      readonly version: string;
      readonly parent: string;
      readonly comparison: Comparison | null;
    },
    project: Project,
  ): Promise<HypothesisResult | null>;
  /**
   * Evaluates the policy of a version once more on the selection split, in the environment of its parent, where the leak is
   * closed. To be asked where `isQuarantined` says so, before evidence and decision are written. Its evidence is that of no
   * version. A job that ran before is not run again. Where it fails the labelled rollouts are counted, and `because` says
   * why. @throws HarnessError cancelled
   */
  reevaluateClean(request: CleanRequest, project: Project, signal: AbortSignal): Promise<CleanEvaluation>;
  /**
   * What the test of equivalence says of a version that takes a kept edit out of its parent; null for any other version.
   * Such a version need not look better than its parent, so it is not to be screened for that.
   */
  subtraction(
    request: { readonly version: string; readonly parent: string },
    project: Project,
  ): Promise<Subtraction | null>;
  /**
   * The new ways to pass of a version that is about to be kept. Where it has one and changes the environment, its policy is
   * evaluated once more, in its parent's. A job that ran before is not run again. @throws HarnessError cancelled
   */
  gain(
    request: { readonly version: string; readonly parent: string },
    project: Project,
    signal: AbortSignal,
  ): Promise<Gain>;
  /** How worn the selection split is, in a sentence, where `gain` is claimed for the best version. */
  wear(gain: number | null, project: Project): Promise<string>;
}
