import { revertVersion } from "../../proposals/standing/revertVersion.ts";
import { openDomain } from "../proposals/openDomain.ts";
import { defineService } from "../workspace/service.ts";

/** Takes a version back by a version of its own, with the files of its parent. */
export const versionsRevert = defineService("versions.revert", {
  repeatable: false,
  async run({ root }, params) {
    const { workspace, lineage, domain } = await openDomain(root);
    return revertVersion({ ...workspace, lineage, domain }, params);
  },
});
