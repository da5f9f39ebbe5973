import assert from "node:assert/strict";
import { writeFile } from "node:fs/promises";
import { DiagnosticSpec } from "../../../../shared/spec/diagnostic.ts";
import { HarnessError } from "../../base/errors.ts";
import { diagnose } from "../../diagnosis/diagnose.ts";
import { ingestFile } from "../../evidence/ingest/ingest.ts";
import { stringOf } from "../../evidence/store/rows.ts";
import type { Store } from "../../evidence/archive/store.ts";
import { shippedDiagnostics } from "../../project/library.ts";
import {
  makeRollout,
  makeWorkspace,
  toLine,
  type Workspace,
} from "../../../../test/support/evidence/evidence.ts";
import { assertLookedFor } from "./knownLabel.ts";

describe("a label that rollouts are listed by", () => {
  let workspace: Workspace;
  let store: Store;
  beforeEach(async () => {
    workspace = await makeWorkspace();
    store = await workspace.open();
    const path = workspace.file("v1.jsonl");
    const rollout = { run: "v1", split: "selection", outcome: "fail", stop_reason: "abandon" } as const;
    await writeFile(path, toLine(makeRollout(rollout)));
    await ingestFile(store, { path, kind: "rollouts", version: "v1", run: "v1" });
  });
  afterEach(() => workspace.remove());

  const asked = (label: string): Promise<void> =>
    assertLookedFor(store, workspace.root, { label, version: "v1", split: "selection" });
  const refused = (label: string, reason: "notFound" | "badInput", words: RegExp): Promise<void> =>
    assert.rejects(asked(label), (e) => HarnessError.is(e, reason) && words.test(e.message));
  const diagnosed = (diagnostics: readonly DiagnosticSpec[]) =>
    diagnose(store, { version: "v1", domain: "swe", diagnostics, aggregator: "micro" });
  const library = shippedDiagnostics().map(({ spec }) => spec);

  it("needs a diagnosis first, if rollouts would have it", async () => {
    await refused(
      "stop-abandon",
      "badInput",
      /^The rollouts of v1 were not labelled with stop-abandon yet; run `evotrainer diagnose v1` first\.$/,
    );
    await diagnosed(library);
    await asked("stop-abandon");
  });
  it("may be on no rollout", () => asked("stop-max-tokens"));
  it("has to be the name of one", async () => {
    await refused("stop-abandn", "notFound", /^There is no label stop-abandn\. Did you mean stop-abandon\?$/);
    await refused("dead-group", "notFound", /over a group, so it is on no rollout/);
    await refused("nothing-solved", "notFound", /over a version, so it is on no rollout/);
  });

  const named = (name: string, when = 'outcome == "fail"'): DiagnosticSpec =>
    DiagnosticSpec.parse({ apiVersion: "evotrainer/v1", kind: "Diagnostic", name, label: { when } });
  const labels = async (): Promise<string[]> => {
    const rows = await store.query({ sql: "SELECT label FROM labels ORDER BY label", params: [] });
    return rows.map((row) => stringOf(row, "label"));
  };
  it("is the new one alone after its diagnostic was renamed or removed", async () => {
    await diagnosed([named("old"), named("other")]);
    assert.deepEqual(await labels(), ["old", "other"]);
    await diagnosed([named("new")]);
    assert.deepEqual(await labels(), ["new"]);
    await diagnosed([named("newer", 'outcome != "pass"')]);
    assert.deepEqual(await labels(), ["newer"]);
    await diagnosed([]);
    assert.deepEqual(await labels(), []);
  });
});
