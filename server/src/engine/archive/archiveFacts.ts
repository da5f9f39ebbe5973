import { archiveFacts as factsOf } from "../../evidence/queries/archiveFacts.ts";
import { defineService } from "../workspace/service.ts";

/** What the spec language knows of the evidence: which fields, metrics, components and labels there are. No audit split. */
export const archiveFacts = defineService("archive.facts", {
  repeatable: true,
  run: ({ store }) => factsOf(store),
});
