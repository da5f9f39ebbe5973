import { proposeOn } from "../proposals/proposeOn.ts";
import { defineService } from "../workspace/service.ts";

/**
 * Proposes changes of a version: the catalogue's choice, or an intervention that is named or written for this. Each waits
 * at the design gate like those of the loop.
 */
export const proposalsMake = defineService("proposals.make", {
  // Asked twice it would propose twice.
  repeatable: false,
  async run({ root, store, trusted: owner }, { trusted, ...params }, { signal }) {
    return { proposals: await proposeOn({ root, store, signal, trusted: trusted && owner, ...params }) };
  },
});
