import type { Belief } from "./belief.ts";
import type { CandidateIdea } from "./candidateIdea.ts";
import type { IdeaReplay } from "./replayIdeas.ts";

/** An idea with all that its rank comes from. */
export interface RankedIdea extends CandidateIdea {
  /** The findings that it may answer here, the worst first. */
  readonly answers: readonly string[];
  readonly belief: Belief;
  /** The mean of what is above 0 of the belief, in [0, 1]. */
  readonly improvement: number;
  /** What training and evaluating it take, against a usual version of this evolution. */
  readonly cost: number;
  /** Seconds of one seed; null where no version was trained yet. */
  readonly seconds: number | null;
  /** Expected improvement for the cost; what ideas are ordered by. */
  readonly worth: number;
  /** Null where nothing of it can be replayed. */
  readonly replay: IdeaReplay | null;
  /** Labels that the archive says get rarer, and more frequent. */
  readonly rarer: readonly string[];
  readonly moreFrequent: readonly string[];
}

/** An idea that is not proposed, and why. */
export interface RefusedIdea {
  readonly idea: CandidateIdea;
  readonly stage: "novelty" | "backtest" | "check";
  readonly why: string;
}

/** An idea that was chosen, the finding that it answers, and its worth after the findings had their turns. */
export interface ChosenIdea {
  readonly ranked: RankedIdea;
  readonly finding: string;
}

/** Everything that a search did: enough to see why it chose what it chose. */
export interface SearchTrace {
  readonly seed: number;
  readonly asked: { readonly findings: readonly string[]; readonly count: number };
  /** What it consulted. */
  readonly cases: number;
  readonly rollouts: number;
  /** How many ideas each source made. */
  readonly made: Readonly<Record<CandidateIdea["origin"], number>>;
  /** In their order. */
  readonly ranked: readonly RankedIdea[];
  readonly refused: readonly RefusedIdea[];
}
