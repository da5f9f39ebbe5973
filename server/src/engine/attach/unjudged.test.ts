import assert from "node:assert/strict";
import { writeFile } from "node:fs/promises";
import {
  makeRollout,
  makeWorkspace,
  toLine,
  type Workspace,
} from "../../../../test/support/evidence/evidence.ts";
import type { Rollout } from "../../../../shared/model/rollout.ts";
import { ingestFile } from "../../evidence/ingest/ingest.ts";
import { unjudgedNotes } from "./unjudged.ts";

describe("a followed step without a reward", () => {
  let place: Workspace;
  beforeEach(async () => (place = await makeWorkspace()));
  afterEach(() => place.remove());

  const unscored: Partial<Rollout> = {
    ...{ split: "train", step: 3, reward: null, components: { "b-2": 0.5, accuracy: 1 } },
    ...{ outcome: "unknown", unknown_reason: "TRL logs reward functions, not a verdict" },
  };
  const notesOf = async (changes: Partial<Rollout>, passWhen?: string): Promise<string[]> => {
    const store = await place.open();
    const path = place.file("rollouts.jsonl");
    await writeFile(path, toLine(makeRollout({ ...unscored, ...changes })));
    await ingestFile(store, { path, kind: "rollouts", version: "run7" });
    return unjudgedNotes(store, { version: "run7", split: "train", atStep: 3 }, passWhen);
  };
  const why =
    "No rollout of step 3 has a reward: it has the components accuracy, b-2, and nothing says how they add up.";
  const how = "Say what counts as solved by a component: --pass-when 'components.accuracy >= 1'.";

  it("says which components there are, and how to say what counts as solved", async () => {
    assert.deepEqual(await notesOf({}), [`${why} ${how}`]);
  });
  it("says that a condition judges none of them", async () => {
    const said = await notesOf({}, "reward >= 1.0");
    assert.deepEqual(said, [`${why} \`reward >= 1.0\` judges none of them. ${how}`]);
  });
  it("names a component that is no name of the language in brackets", async () => {
    assert.match(
      (await notesOf({ components: { "b-2": 1 } }))[0] ?? "",
      /--pass-when 'components\["b-2"\] >= 1'/,
    );
  });
  it("gives no advice where the rollouts are judged", async () => {
    assert.deepEqual(await notesOf({ outcome: "pass", unknown_reason: undefined }), [why]);
  });
  it("says nothing where there is a reward", async () => {
    assert.deepEqual(await notesOf({ reward: 1 }), []);
  });
  it("says nothing where there is no component", async () => {
    assert.deepEqual(await notesOf({ components: {} }), []);
  });
});
