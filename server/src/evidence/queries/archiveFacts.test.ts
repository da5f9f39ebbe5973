import assert from "node:assert/strict";
import { writeFile } from "node:fs/promises";
import { archiveFacts } from "./archiveFacts.ts";
import { ensureFeatures } from "../store/derived.ts";
import { ingestFile } from "../ingest/ingest.ts";
import { labelAll } from "../labels/labelAll.ts";
import { SharedReads } from "../labels/sharedReads.ts";
import type { Store } from "../archive/store.ts";
import {
  makeRollout,
  makeWorkspace,
  toLine,
  type Workspace,
} from "../../../../test/support/evidence/evidence.ts";

describe("archive facts", () => {
  let workspace: Workspace;
  let store: Store;
  before(async () => {
    workspace = await makeWorkspace();
    store = await workspace.open();
    const of = (split: "train" | "selection" | "audit", i: number) =>
      makeRollout({
        id: `${split}-${i}`,
        split,
        item: `item-${i}`,
        outcome: i === 0 ? "pass" : "fail",
        reward: split === "audit" ? 99 : i,
        components: i === 3 ? { tests: 0 } : { tests: i, rare: 1 },
        ...(i === 1 ? {} : { tokens: 10 * i }),
        stop_reason: split === "audit" ? "secret" : i < 3 ? "success" : "turn_limit",
      });
    const lines = [0, 1, 2, 3].flatMap((i) => [
      of("train", i),
      of("audit", i),
      ...(i < 2 ? [of("selection", i)] : []),
    ]);
    const path = workspace.file("rollouts.jsonl");
    await writeFile(path, lines.map((rollout) => toLine({ ...rollout, run: "r" })).join(""));
    await ingestFile(store, { path, kind: "rollouts", run: "r", version: "v1" });
    const steps = workspace.file("metrics.jsonl");
    await writeFile(steps, [1, 2, 3].map((step) => toLine({ step, kl: step / 10 })).join(""));
    await ingestFile(store, { path: steps, kind: "metrics", run: "r", version: "v1" });
  });
  after(() => workspace.remove());

  it("list versions, fields, components, metrics and shared items, and nothing from the audit split", async () => {
    const facts = await archiveFacts(store);
    assert.equal(facts.rollouts, 6);
    assert.deepEqual(facts.versions, [{ name: "v1", rollouts: 6, items: 2, passRate: 0.5 }]);
    assert.deepEqual(facts.fields["reward"], { present: 1, spread: { count: 6, min: 0, median: 1, max: 3 } });
    assert.deepEqual(facts.fields["stop_reason"], {
      present: 1,
      values: [
        { value: "success", share: 5 / 6 },
        { value: "turn_limit", share: 1 / 6 },
      ],
    });
    assert.deepEqual(facts.components["rare"]?.present, 5 / 6);
    const { of, present, awarded, inFull } = facts.components["tests"] ?? {};
    // One of six gets the two that are the most of `tests`: its median is no word on that.
    assert.deepEqual([of, present, awarded, inFull], [6, 1, 0.5, 1 / 6]);
    assert.equal(facts.components["rare"].inFull, 5 / 6);
    assert.deepEqual(facts.metrics["kl"], { count: 3, min: 0.1, median: 0.2, max: 0.3 });
    assert.deepEqual(facts.sharedItems, ["item-0", "item-1"]);
    assert.equal(JSON.stringify(facts).includes("secret"), false);
    assert.equal(facts.fields["n_turns"], undefined);
  });

  it("are read again only after a commit", async () => {
    const first = await archiveFacts(store);
    assert.equal(await archiveFacts(store), first);
    await ensureFeatures(store);
    const second = await archiveFacts(store);
    assert.notEqual(second, first);
    assert.deepEqual(second.fields["n_turns"]?.spread, { count: 6, min: 1, median: 1, max: 1 });
  });

  it("include what a label caught last", async () => {
    const reads = new SharedReads();
    await labelAll(store, {
      scope: { split: "train" },
      labels: [{ label: "high", revision: "a", where: [reads.of("r", "r.reward >= 2")], evidence: null }],
      reads,
    });
    const { labels } = await archiveFacts(store);
    assert.deepEqual(labels, {
      high: { rollouts: 2, of: 4, last: { version: "v1", rollouts: ["r/train-3", "r/train-2"] } },
    });
  });
});
