import type { Factor } from "../../../../shared/spec/common.ts";
import { withOwnedSurfaces } from "../../project/ownedSurfaces.ts";
import { HarnessError } from "../../base/errors.ts";
import { questionProcedure, type ProcedureAnswer } from "../../decision/gates/questionProcedure.ts";
import type { ProcedureStep } from "../../../../shared/words/procedureSteps.ts";
import { chooseDrafts, type Question } from "../../proposals/chooseDrafts.ts";
import type { LoopPorts } from "../ports.ts";
import type { LoopState } from "../state.ts";

export type ProcedurePorts = Pick<LoopPorts, "procedureHistory" | "appendToLedger" | "emit" | "now">;

/** Steps that this loop takes by asking its proposers for something else. */
const steps: readonly ProcedureStep[] = ["another-factor", "revise-diagnostic"];
/** More than any search finds. */
const many = 1000;

/**
 * What the proposers are asked: after several failures in a row something else than before. The step is written down with
 * the reason; asked again after a crash, the same ledger gives the same step.
 */
export async function questioned(
  state: LoopState,
  parent: string | null,
  question: Question,
  ports: ProcedurePorts,
): Promise<Question> {
  if (parent === null) return question;
  const { domain, generation } = state;
  const history = await ports.procedureHistory(parent, generation);
  const after = question.project.spec.gates.questionAfterFailures ?? 3;
  if (history.failuresInARow < after) return question;
  const { drafts } = await chooseDrafts({ ...question, count: many });
  const hasOtherFinding = (finding: string | null): boolean =>
    drafts.some(({ spec }) => spec.targets.some((target) => target !== finding));
  const answer = questionProcedure({
    ...history,
    ...{ after, parent },
    openFactors: [...new Set([...drafts.map(({ spec }) => spec.factor), ...freeFactors(question)])].sort(),
    able: steps.filter(
      (step) => step !== "revise-diagnostic" || hasOtherFinding(history.failed[0]?.finding ?? null),
    ),
  });
  if (answer === null) return question;
  await ports.appendToLedger([
    {
      id: `procedure:${parent}:g${generation}`,
      at: ports.now(),
      domain,
      type: "procedure",
      version: parent,
      generation,
      failures: history.failuresInARow,
      step: answer.step,
      target: targetOf(answer),
      reason: answer.why,
    },
  ]);
  ports.emit({
    type: "note",
    message: `EvoTrainer now looks for the next version in another way. ${answer.why}`,
  });
  return obeying(question, answer);
}

/** A model or an agent may think of a change of any factor that it owns, whatever the search has left. */
function freeFactors({ project: { spec } }: Question): Factor[] {
  return spec.proposers
    .filter(({ kind }) => kind !== "search")
    .flatMap((proposer) => {
      try {
        return withOwnedSurfaces(spec, proposer).surfaces.map(({ factor }) => factor);
      } catch (e) {
        // One that owns what does not exist proposes nothing; who asks it says so.
        if (HarnessError.is(e, "projectInvalid")) return [];
        throw e;
      }
    });
}

function targetOf(answer: ProcedureAnswer): string {
  switch (answer.step) {
    case "another-factor":
      return answer.factors.join(", ");
    case "revise-diagnostic":
      return answer.finding;
    case "subtract":
      return answer.of.join(", ");
    case "another-parent":
    case "roll-back":
      return answer.parent;
  }
}

/** The question narrowed to what the step asks for. */
function obeying(question: Question, answer: ProcedureAnswer): Question {
  const { findings } = question;
  switch (answer.step) {
    case "another-factor":
      return { ...question, factors: answer.factors };
    case "revise-diagnostic":
      return { ...question, findings: findings.filter(({ name }) => name !== answer.finding) };
    case "subtract":
    case "another-parent":
    case "roll-back":
      throw new HarnessError("badInput", `The proposers cannot ${answer.step}; the loop has to do it.`);
  }
}
