import type { Command } from "commander";
import type { Io } from "./io.ts";

/** What every verb works with. */
export interface VerbContext {
  /** Where it writes; the options of the whole command line are known once a verb runs. */
  readonly io: () => Io;
  /** The folder that it was started in. */
  readonly cwd: string;
  /** The examples that come with the product. */
  readonly examples: string;
  /** Starts the language server, which reads its options from the command line. */
  readonly serveEditor: () => Promise<unknown>;
  readonly exitWith: (code: number) => void;
}

/** Adds a verb to the command line: its words, its options, and what it does. */
export type AddVerb = (program: Command, context: VerbContext) => void;

/** Options that were given, without the undefined ones. */
export type Given<T> = { [K in keyof T]: Exclude<T[K], undefined> };
