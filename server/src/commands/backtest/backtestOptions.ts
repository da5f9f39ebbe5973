import { HarnessError } from "../../base/errors.ts";
import { shellWord } from "../../base/shellWord.ts";

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

/** The answer for an intervention, whether its file was given or its name. */
export const interventionRefused = (spec: string): HarnessError =>
  new HarnessError(
    "badInput",
    `${spec} is an intervention, which is backtested when it is proposed: run \`evotrainer propose --intervention ${shellWord(spec)}\`. Nothing is trained before you approve it.`,
  );

/** A spec as it lies on the disk. */
export interface SpecFile {
  readonly path: string;
  readonly text: string;
}
