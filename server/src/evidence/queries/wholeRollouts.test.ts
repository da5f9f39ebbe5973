import assert from "node:assert/strict";
import { writeFile } from "node:fs/promises";
import { after, before, describe, it } from "mocha";
import type { Rollout } from "../../../../shared/model/rollout.ts";
import { ingestFile } from "../ingest/ingest.ts";
import type { Store } from "../archive/store.ts";
import {
  makeRollout,
  makeWorkspace,
  toLine,
  type Workspace,
} from "../../../../test/support/evidence/evidence.ts";
import { wholeRollouts } from "./wholeRollouts.ts";

describe("whole rollouts of a scope", () => {
  let workspace: Workspace;
  let store: Store;
  const rollouts: Rollout[] = Array.from({ length: 300 }, (_, i) =>
    makeRollout({
      id: `r-${i}`,
      split: i % 5 === 0 ? "selection" : "train",
      turns: Array.from({ length: i % 4 }, (_, t) => ({
        role: "assistant",
        text: `turn ${t} of ${i}`,
        tool: "bash",
        ok: t === 0,
      })),
    }),
  );

  before(async () => {
    workspace = await makeWorkspace();
    store = await workspace.open();
    await writeFile(workspace.file("r.jsonl"), rollouts.map(toLine).join(""));
    await ingestFile(store, {
      path: workspace.file("r.jsonl"),
      kind: "rollouts",
      version: "v",
      run: "run-1",
    });
  });
  after(() => workspace.remove());

  it("come as they were written, over all pages", async () => {
    const found: Rollout[] = [];
    for await (const { rollout } of wholeRollouts(store, { scope: { split: "train" } })) found.push(rollout);
    assert.deepEqual(
      found,
      rollouts.filter((r) => r.split === "train"),
    );
  });

  it("are only those that were asked for, within the scope", async () => {
    const found: string[] = [];
    for await (const { rid, rollout } of wholeRollouts(store, {
      scope: { split: "train" },
      rids: [299, 4, 5, 1000],
    }))
      found.push(`${rid} ${rollout.id}`);
    assert.deepEqual(found, ["4 r-4", "299 r-299"]);
    for await (const { rid } of wholeRollouts(store, { scope: { split: "train" }, rids: [] }))
      assert.fail(String(rid));
  });
});
