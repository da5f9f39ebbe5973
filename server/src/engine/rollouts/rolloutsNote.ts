import { addRolloutNote, rolloutNotesPath } from "../../diagnosis/rolloutNotes.ts";
import { readRollout } from "../../evidence/queries/readRollout.ts";
import { engineFolderOf } from "../workspace/workspace.ts";
import { defineService } from "../workspace/service.ts";

/** Writes down what a person notes about a rollout, for people to read. */
export const rolloutsNote = defineService("rollouts.note", {
  repeatable: false,
  async run({ store, root }, { run, id, note, by }) {
    const found = await readRollout(store, { within: run, id });
    const written = { run: found.rollout.run, id, note, by, at: new Date().toISOString() };
    await addRolloutNote(rolloutNotesPath(engineFolderOf(root)), written);
    return written;
  },
});
