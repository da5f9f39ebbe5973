import { z } from "zod";
import { Name } from "../../../../shared/spec/common.ts";
import { InterventionSpec } from "../../../../shared/spec/intervention.ts";
import { makeProposals } from "./makeProposals.ts";
import { defineService } from "../workspace/service.ts";

/**
 * Proposes changes of a version: the catalogue's choice, or an intervention that is named or written for this. Each waits
 * at the design gate like those of the loop.
 */
export const proposalsMake = defineService({
  name: "proposals.make",
  // Asked twice it would propose twice.
  repeatable: false,
  params: z.object({
    parent: Name.exactOptional().describe("The version to change; the evolution's champion when left out."),
    proposer: Name.default("catalogue"),
    intervention: z.union([Name, InterventionSpec]).exactOptional(),
    count: z.int().min(1).max(16).default(1).describe("How many at most, where the catalogue chooses."),
    trusted: z.boolean().default(false).describe("Whether diagnostics may run programs and ask models."),
  }),
  async run({ root, store, trusted: owner }, { trusted, ...params }, { signal }) {
    return { proposals: await makeProposals({ root, store, signal, trusted: trusted && owner, ...params }) };
  },
});
