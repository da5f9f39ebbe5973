import type { Finding } from "../../diagnosis/rules.ts";
import type { Project } from "../../project/project.ts";
import type { FileSource } from "../../project/source.ts";
import type { Idea } from "../draft.ts";

/** What a proposer is asked: which changes of a version answer what was found. */
export interface ProposerQuestion {
  /** The project as it is declared now. */
  readonly project: Project;
  /** The version to change, with its files. */
  readonly parent: { readonly name: string; readonly source: FileSource };
  readonly findings: readonly Finding[];
  /** How many drafts at most. */
  readonly count: number;
}

/** Whoever proposes. What it returns is data: every idea goes through the same checks, and nothing of it is run. */
export interface Proposer {
  readonly name: string;
  /** Ideas, the most promising first. */
  propose(question: ProposerQuestion, signal: AbortSignal): Promise<readonly Idea[]>;
}
