import { quarantinedLines } from "../../evidence/store/quarantine.ts";
import { defineService } from "../workspace/service.ts";

/** The lines of evidence that were set aside, in file order. */
export const quarantineList = defineService("quarantine.list", {
  repeatable: true,
  run: ({ store }, params) => quarantinedLines(store, params),
});
