import { revertVersion } from "../proposals/revertVersion.ts";
import { defineService } from "../workspace/service.ts";

/** Takes a version back by a version of its own, with the files of its parent. */
export const versionsRevert = defineService("versions.revert", {
  repeatable: false,
  run: ({ root }, params) => revertVersion(root, params),
});
