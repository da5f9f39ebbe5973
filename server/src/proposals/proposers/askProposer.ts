import { HarnessError } from "../../base/errors.ts";
import { draftOf, problemsText, type Draft } from "../draft.ts";
import type { Proposer, ProposerQuestion } from "./proposer.ts";

/** What came of a question to a proposer. */
export interface AskedDrafts {
  readonly drafts: readonly Draft[];
  /** The ideas that a check refused, a sentence each. */
  readonly passedOver: readonly string[];
}

/**
 * Asks a proposer, and holds every idea of it against the checks. @throws HarnessError specInvalid when none passes, and those
 * of the proposer
 */
export async function askProposer(
  proposer: Proposer,
  question: ProposerQuestion,
  signal: AbortSignal,
): Promise<AskedDrafts> {
  const ideas = (await proposer.propose(question, signal)).slice(0, question.count);
  const drafts: Draft[] = [];
  const passedOver: string[] = [];
  for (const idea of ideas) {
    const drafted = await draftOf(idea, { parent: question.parent.source, declared: question.project.spec });
    if (drafted.type === "sound") drafts.push(drafted.draft);
    else passedOver.push(`${idea.spec.name} is refused: ${problemsText(drafted.problems)}`);
  }
  if (drafts.length > 0) return { drafts, passedOver };
  const why = passedOver.length === 0 ? "it has no idea." : problemsText(passedOver);
  throw new HarnessError("specInvalid", `${proposer.name} proposes nothing: ${why}`);
}
