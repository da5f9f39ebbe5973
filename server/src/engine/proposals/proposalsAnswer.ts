import { z } from "zod";
import { Name, ProjectPath } from "../../../../shared/spec/common.ts";
import { answerProposal } from "./answerProposal.ts";
import { defineService } from "../workspace/service.ts";

const sentence = z.string().trim().max(20_000);

/** Answers the design gate of a proposal: take all or some hunks, send it back with a comment, or refuse it with a reason. */
export const proposalsAnswer = defineService({
  name: "proposals.answer",
  // The second time it would be refused, because it has its answer.
  repeatable: false,
  params: z.object({
    id: Name,
    answer: z.discriminatedUnion("type", [
      z.object({
        type: z.literal("approve"),
        hunks: z.array(z.string()).exactOptional(),
        comment: sentence.exactOptional(),
      }),
      z.object({
        type: z.literal("revise"),
        comment: sentence.min(1, "Say what should be different."),
        texts: z
          .array(z.object({ file: ProjectPath, text: z.string().max(4 * 1024 * 1024) }))
          .exactOptional(),
      }),
      z.object({ type: z.literal("reject"), reason: sentence.default("") }),
    ]),
    by: z.string().min(1).exactOptional(),
  }),
  run: ({ root, store }, { id, answer, by }) =>
    answerProposal({ root, store, ...(by === undefined ? {} : { by }) }, { id, answer }),
});
