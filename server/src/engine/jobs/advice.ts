import type { FailureClass } from "../../../../shared/model/failureClass.ts";

const advice: Readonly<Record<FailureClass, string>> = {
  crash:
    "Read the end of its log. If the machine was at fault (memory, a lost GPU), rerun the job; if the harness was, a rerun ends the same way.",
  preflight_crash:
    "Nothing was trained: correct trainer.command, its dependencies or its environment, commit, and rerun the job.",
  size_blocked: "Make the trainer write fewer or shorter rollouts, commit, and start again.",
  train_budget_overrun: "Raise trainer.budgetSeconds in evotrainer.yaml, or train for fewer steps.",
  eval_budget_overrun: "Raise trainer.budgetSeconds in evotrainer.yaml, or evaluate fewer samples.",
  disqualified:
    "The trainer changed what it is measured with. Make it leave the evaluation files alone; a rerun would end the same way.",
  harness_abort:
    "If a tripwire stopped it, look at the curve that it names. If you did, that says nothing against the version: rerun the job if you still want it.",
  incomplete:
    "Make the trainer evaluate every item and write its policy to EVO_POLICY_OUT, then rerun the job.",
};

/** What a person can do about a failure, in a sentence or two. */
export function adviceFor(failure: FailureClass | null): string {
  return failure === null ? "Read the end of its log." : advice[failure];
}
