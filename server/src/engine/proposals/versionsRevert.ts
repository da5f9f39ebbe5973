import { revertVersion } from "../../proposals/standing/revertVersion.ts";
import { isHarness } from "../../proposals/standing/harnessVersions.ts";
import { versionIn } from "../../proposals/standing/proposal.ts";
import { harnessGround } from "../harness/harnessGround.ts";
import { retiring } from "../harness/retire.ts";
import { openDomain } from "../proposals/openDomain.ts";
import { defineService } from "../workspace/service.ts";

/** Takes a version back by a version of its own, with the files of its parent. */
export const versionsRevert = defineService("versions.revert", {
  repeatable: false,
  async run({ root, store }, params) {
    const { workspace, lineage, domain } = await openDomain(root);
    const version = versionIn(lineage, params.version);
    const ground = { ...workspace, lineage, domain };
    if (!isHarness(version) || version.decision?.decision !== "keep") return revertVersion(ground, params);
    const differ = await retiring(await harnessGround(workspace, { store, domain }), version);
    return revertVersion(ground, { ...params, wouldDiffer: differ });
  },
});
