import assert from "node:assert/strict";
import { writeFile } from "node:fs/promises";
import { DiagnosticSpec } from "../../../shared/spec/diagnostic.ts";
import {
  makeRollout,
  makeWorkspace,
  toLine,
  type Workspace,
} from "../../../test/support/evidence/evidence.ts";
import type { Store } from "../evidence/archive/store.ts";
import { ingestFile } from "../evidence/ingest/ingest.ts";
import { diagnose, labelSplit } from "./diagnose.ts";

const named = (name: string, when: string): DiagnosticSpec =>
  DiagnosticSpec.parse({ apiVersion: "evotrainer/v1", kind: "Diagnostic", name, label: { when } });
const diagnostics = [
  named("high", "reward > 0.5"),
  named("said", 'turns.exists(t, t.text.contains("stop"))'),
  named("low", "reward < 0.2"),
  named("spent", "tokens > 100"),
];
const domain = "imported";
const versions = ["v1", "v2", "v 3", "empty"];

describe("versions that are labelled in one reading", () => {
  let workspace: Workspace;
  let store: Store;
  beforeEach(async () => {
    workspace = await makeWorkspace();
    store = await workspace.open();
    for (const [version, ...rewards] of [
      ["v1", 1, 0],
      ["v2", 0.1, null, 0.7],
      ["v 3", 0.3],
      ["other", 1],
    ] as const) {
      const path = workspace.file(`${version}.jsonl`);
      const lines = rewards.map((reward, i) =>
        toLine(
          makeRollout({
            run: version,
            id: `${version} ${i}`,
            sample: i,
            reward,
            turns: [{ role: "user", text: reward === 1 ? "stop" : "go" }],
          }),
        ),
      );
      await writeFile(path, lines.join(""));
      await ingestFile(store, { path, kind: "rollouts", version, run: version });
    }
  });
  afterEach(() => workspace.remove());

  const diagnosed = async (): Promise<unknown> => {
    const found = [];
    for (const version of versions) {
      const options = { version, domain, diagnostics, aggregator: "macro" } as const;
      found.push(await diagnose(store, { ...options, scope: { split: "train" } }));
    }
    return found;
  };
  const stored = async (): Promise<unknown> =>
    store.query({ sql: "SELECT rid, label, turns FROM labels ORDER BY ALL", params: [] });

  it("have the same labels and diagnoses as one after the other, and are not labelled again", async () => {
    const apart = await diagnosed();
    const labels = await stored();
    await store.write((connection) => connection.run("DELETE FROM labelled").then(() => undefined));
    await labelSplit(store, { diagnostics, domain, scope: { split: "train", versions } });
    assert.deepEqual(await stored(), labels);
    const commits = store.commits();
    assert.deepEqual(await diagnosed(), apart);
    // Of the one that has no rollouts nothing is remembered, and there is nothing to label.
    assert.equal(store.commits() - commits, 1);
  });

  it("are labelled again when something is written of them, and with other diagnostics", async () => {
    await labelSplit(store, { diagnostics, domain, scope: { split: "train", versions } });
    const of = { version: "v1", domain, aggregator: "macro", scope: { split: "train" } } as const;
    const counts = async (given: readonly DiagnosticSpec[]): Promise<unknown> =>
      (await diagnose(store, { ...of, diagnostics: given })).labels.map(({ name, labelled }) => [
        name,
        labelled,
      ]);
    const wide = [named("high", "reward >= 0.0"), ...diagnostics.slice(1)];
    const rest = [
      ["said", 1],
      ["low", 1],
      ["spent", 0],
    ];
    assert.deepEqual(await counts(wide), [["high", 2], ...rest]);
    assert.deepEqual(await counts(diagnostics), [["high", 1], ...rest]);
    await store.write((connection) => connection.run("DELETE FROM labelled").then(() => undefined));
    await counts(diagnostics);
    assert.equal(((await stored()) as unknown[]).length, 3);
  });
});
