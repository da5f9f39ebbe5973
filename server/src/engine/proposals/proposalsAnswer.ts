import { answerProposal } from "../proposals/answerProposal.ts";
import { defineService } from "../workspace/service.ts";

/** Answers the design gate of a proposal: take all or some hunks, send it back with a comment, or refuse it with a reason. */
export const proposalsAnswer = defineService("proposals.answer", {
  // The second time it would be refused, because it has its answer.
  repeatable: false,
  run: ({ root, store }, { id, answer, by }) =>
    answerProposal({ root, store, ...(by === undefined ? {} : { by }) }, { id, answer }),
});
