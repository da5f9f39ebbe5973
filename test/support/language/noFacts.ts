import type { ArchiveFacts } from "../../../shared/protocol/views/archiveFacts.ts";

/** An archive of a thousand rollouts about which nothing else is known. */
export const noFacts: ArchiveFacts = {
  at: 0,
  rollouts: 1000,
  versions: [],
  fields: {},
  metrics: {},
  components: {},
  labels: {},
  sharedItems: [],
};
