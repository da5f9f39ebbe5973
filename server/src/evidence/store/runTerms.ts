import type { ClosedFile } from "../../../../shared/ledger/closing.ts";
import type { Split } from "../../../../shared/model/rollout.ts";

/** What was asked of the job of a run. */
export interface Asked {
  /** The commit of the version that it ran. */
  readonly commit: string;
  readonly seed: number;
  /** The splits that it was to make rollouts of, each with the ids of its items; null where these are not known. */
  readonly splits: ReadonlyMap<Split, ReadonlySet<string> | null>;
  /** Splits that another run measured again, by that run: its rollouts count, and those of this run do not. */
  readonly replaced: ReadonlyMap<Split, string>;
  /** How many rollouts of an item a measured split has; null where the project does not say. */
  readonly samples: number | null;
}

/** What the engine knows of a run, to which the files of its folder have to keep. */
export interface RunTerms {
  /** What each file was when the job had ended, by its name; null while the run is open, or was never closed. */
  readonly closed: ReadonlyMap<string, ClosedFile> | null;
  /** Null for runs of releases that did not write it down. */
  readonly asked: Asked | null;
}

/** The terms of a run by its name; undefined for a run that the engine did not start. */
export type TermsOf = (run: string) => Promise<RunTerms | undefined>;
