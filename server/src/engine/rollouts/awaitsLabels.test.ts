import assert from "node:assert/strict";
import { writeFile } from "node:fs/promises";
import { dirname } from "node:path";
import {
  makeRollout,
  makeWorkspace,
  toLine,
  type Workspace,
} from "../../../../test/support/evidence/evidence.ts";
import { ingestFile } from "../../evidence/ingest/ingest.ts";
import { shippedDiagnostics } from "../../project/library.ts";
import { awaitsLabels } from "./awaitsLabels.ts";

const given = [
  {
    path: "paid.diagnostic.yaml",
    text: 'apiVersion: evotrainer/v1\nkind: Diagnostic\nname: paid\nlabel: { when: "reward > 0.5" }\n',
  },
];
// Only what is given is asked.
const justSet = new Set(shippedDiagnostics().map(({ spec }) => spec.name));

describe("rollouts that nobody has labelled yet", () => {
  let workspace: Workspace;
  beforeEach(async () => (workspace = await makeWorkspace()));
  afterEach(() => workspace.remove());

  /** Whether 1,500 rollouts wait, of which one is paid. */
  async function waits(paid: number): Promise<boolean> {
    const store = await workspace.open();
    const path = workspace.file("v1.jsonl");
    const lines = Array.from({ length: 1500 }, (_, i) =>
      toLine(makeRollout({ run: "v1", id: `r${i}`, sample: i, reward: i === paid ? 1 : 0 })),
    );
    await writeFile(path, lines.join(""));
    await ingestFile(store, { path, kind: "rollouts", version: "v1", run: "v1" });
    return awaitsLabels(store, dirname(path), { version: "v1", split: "train", given, justSet });
  }

  it("are told from rollouts that no diagnostic catches", async () => {
    assert.equal(await waits(1400), true);
  });

  it("are told by the newest thousand, so that a list opens at once", async () => {
    assert.equal(await waits(10), false);
  });
});
