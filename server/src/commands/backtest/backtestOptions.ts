/** What `evotrainer backtest` is asked for, whatever the kind of the spec. */
export interface BacktestOptions {
  /** The path of a spec, or the name of a diagnostic of the project. */
  readonly spec: string;
  /** Names of versions, separated by commas; of a reward also `all`. */
  readonly against?: string;
  readonly split?: "train" | "selection";
  /** Why a quarantined version may be let through. */
  readonly approve?: string;
  /** Limits on turns and tokens, of which a reward backtest says what they would have cut. */
  readonly turnLimits?: readonly number[];
  readonly tokenLimits?: readonly number[];
}

/** A spec as it lies on the disk. */
export interface SpecFile {
  readonly path: string;
  readonly text: string;
}
