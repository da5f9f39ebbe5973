import type { Finding } from "../../diagnosis/rules.ts";
import type { Project } from "../../project/project.ts";
import type { FileSource } from "../../project/source.ts";
import type { Idea } from "../draft.ts";
import type { EvidenceTools } from "./evidenceTools.ts";

/** What a proposer is asked: which changes of a version answer what was found. */
export interface ProposerQuestion {
  /** The project as it is declared now. Of a specialist it has the surfaces alone that this one owns. */
  readonly project: Project;
  /** The version to change, with its files. */
  readonly parent: { readonly name: string; readonly commit: string; readonly source: FileSource };
  readonly findings: readonly Finding[];
  /** How many drafts at most. */
  readonly count: number;
  /** What people said that it should look at, a text each. */
  readonly hints: readonly string[];
  /** Its way to the evidence: they only read, and none reads the audit split. */
  readonly tools: EvidenceTools;
}

/** Changes that others made of a version, to be put in order by who is not told how they ended. */
export interface RankQuestion extends ProposerQuestion {
  /** Their names; what each of them changes is told in the hints. */
  readonly among: readonly string[];
}

/** Whoever proposes. What it returns is data: every idea goes through the same checks, and nothing of it is run. */
export interface Proposer {
  readonly name: string;
  /**
   * Ideas, the most promising first. @throws HarnessError jobFailed where it cannot be asked or gave nothing that can be used,
   * budgetSpent where a budget does not allow the question, cancelled
   */
  propose(question: ProposerQuestion, signal: AbortSignal): Promise<readonly Idea[]>;
  /**
   * The names of changes, the one first of which it expects the most; left out where it can only propose.
   * @throws HarnessError as `propose`, specInvalid where it gave no order
   */
  readonly rank?: (question: RankQuestion, signal: AbortSignal) => Promise<readonly string[]>;
}
