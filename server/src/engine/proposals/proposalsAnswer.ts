import { openDomain } from "../proposals/openDomain.ts";
import { proposalPorts } from "../training/proposalPorts.ts";
import { defineService } from "../workspace/service.ts";
import { answerGate } from "./answerGate.ts";

/** Answers a gate of a version: of a proposal, take all or some hunks, send it back with a comment, or refuse it. */
export const proposalsAnswer = defineService("proposals.answer", {
  // The second time it would be refused, because it has its answer.
  repeatable: false,
  async run({ root, store }, params) {
    const open = await openDomain(root);
    return answerGate(open, proposalPorts(open.workspace, { store, domain: open.domain }), params);
  },
});
