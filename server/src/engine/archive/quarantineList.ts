import { z } from "zod";
import { quarantinedLines } from "../../evidence/store/quarantine.ts";
import { defineService } from "../workspace/service.ts";

/** The lines of evidence that were set aside, in file order. */
export const quarantineList = defineService({
  name: "quarantine.list",
  repeatable: true,
  params: z.object({
    version: z.string().exactOptional(),
    limit: z.int().min(1).max(10_000).exactOptional(),
  }),
  run: ({ store }, params) => quarantinedLines(store, params),
});
