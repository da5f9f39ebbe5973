import { quarantinedLines } from "../../evidence/quarantine.ts";
import { defineService } from "./service.ts";

/** The lines of evidence that were set aside, in file order. */
export const quarantineList = defineService("quarantine.list", {
  repeatable: true,
  run: ({ store }, params) => quarantinedLines(store, params),
});
