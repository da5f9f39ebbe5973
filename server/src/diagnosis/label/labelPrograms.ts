import type { ModelSpec } from "../../../../shared/spec/project.ts";

/** What diagnostics need that are not conditions: programs to run, and models to ask. */
export interface LabelPrograms {
  /** The project's folder: programs run in it. */
  readonly root: string;
  /** The engine's folder in it, for answers and the labels of people. */
  readonly engineFolder: string;
  /** Why nothing may be run or asked, as the end of a sentence; null where it may. */
  readonly refused: string | null;
  /** The project's models by name. */
  readonly models: Readonly<Record<string, ModelSpec>>;
  /** Where keys are: the environment of the process. */
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly signal?: AbortSignal;
  readonly progress?: (report: {
    readonly message: string;
    readonly done: number;
    readonly total: number;
  }) => void;
}

/** A diagnostic that was not run, or not to its end. */
export interface NotRun {
  readonly name: string;
  /** One sentence. */
  readonly message: string;
}
