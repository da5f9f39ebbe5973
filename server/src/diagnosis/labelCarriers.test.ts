import assert from "node:assert/strict";
import { writeFile } from "node:fs/promises";
import { makeWorkspace, toLine, type Workspace } from "../../../test/support/evidence/evidence.ts";
import { ingestFile } from "../evidence/ingest/ingest.ts";
import { labelledIn } from "../evidence/queries/labelledIn.ts";
import type { EvidenceScope } from "../evidence/store/split.ts";
import type { Store } from "../evidence/archive/store.ts";
import { shippedDiagnostics } from "../project/library.ts";
import { exampleRollouts } from "./examples.ts";
import { labelCarriers } from "./labelCarriers.ts";
import { labelDiagnostics } from "./labelDiagnostics.ts";

const scope: EvidenceScope = { split: "train", version: "v" };
const library = shippedDiagnostics().map(({ spec }) => spec);

describe("the rollouts that carry a label", () => {
  let workspace: Workspace;
  let store: Store;

  before(async () => {
    workspace = await makeWorkspace();
    store = await workspace.open();
    for (const { name: run, examples } of library) {
      const rollouts = examples.flatMap(exampleRollouts);
      if (rollouts.length === 0) continue;
      const path = workspace.file(`${run}.jsonl`);
      await writeFile(path, rollouts.map((r) => toLine({ ...r, run, split: "train" })).join(""));
      await ingestFile(store, { path, kind: "rollouts", version: "v", run });
    }
  });
  after(() => workspace.remove());

  it("are found where nobody has labelled the split, are those that labelling finds, and nothing is stored", async () => {
    const found = await labelCarriers(store, scope, library);
    const names = library.map(({ name }) => name);
    assert.equal((await labelledIn(store, scope, names)).size, 0, "nothing is stored");
    assert.ok(found.size > 20, `${found.size} labels`);
    await labelDiagnostics(store, library, { rollouts: scope, groups: scope });
    const stored = await labelledIn(store, scope, names);
    assert.deepEqual([...found].sort(), [...stored].sort());
  });

  it("are none for a diagnostic over groups or versions, and of another split", async () => {
    const over = library.filter((spec) => spec.over !== "rollout");
    assert.ok(over.length > 5);
    assert.equal((await labelCarriers(store, scope, over)).size, 0);
    assert.equal((await labelCarriers(store, { ...scope, split: "selection" }, library)).size, 0);
  });
});
