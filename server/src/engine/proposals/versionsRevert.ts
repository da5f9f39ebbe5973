import { z } from "zod";
import { Name } from "../../../../shared/spec/common.ts";
import { revertVersion } from "./revertVersion.ts";
import { defineService } from "../workspace/service.ts";

/** Takes a version back by a version of its own, with the files of its parent. */
export const versionsRevert = defineService({
  name: "versions.revert",
  repeatable: false,
  params: z.object({
    version: Name,
    reason: z.string().max(20_000).exactOptional(),
    by: z.string().min(1).exactOptional(),
  }),
  run: ({ root }, params) => revertVersion(root, params),
});
