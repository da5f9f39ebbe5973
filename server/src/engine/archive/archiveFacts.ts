import { archiveFacts as factsOf } from "../../evidence/queries/archiveFacts.ts";
import { peopleOn } from "../rollouts/rolloutsPeople.ts";
import { defineService } from "../workspace/service.ts";

/** What the spec language knows of the evidence: which fields, metrics, components and labels there are. No audit split. */
export const archiveFacts = defineService("archive.facts", {
  repeatable: true,
  run: async ({ store, root }) => {
    const [facts, people] = [await factsOf(store), await peopleOn(store, root, undefined)];
    return people.length === 0 ? facts : { ...facts, people };
  },
});
