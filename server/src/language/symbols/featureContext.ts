import type { RuleContext } from "../rule/rule.ts";
import type { Symbols } from "./occurrence.ts";

/** What a feature may look at: the spec, the project around it, and the names in all of the project's specs. */
export type FeatureContext = RuleContext & {
  /** Where the spec lies. */
  readonly file: string;
  /** The project's folder; undefined for a spec outside of every project. */
  readonly root: string | undefined;
  readonly symbols: Symbols;
};
