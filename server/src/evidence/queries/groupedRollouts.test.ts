import assert from "node:assert/strict";
import { writeFile } from "node:fs/promises";
import type { Rollout } from "../../../../shared/model/rollout.ts";
import { groupRollouts } from "./groupedRollouts.ts";
import { ingestFile } from "../ingest/ingest.ts";
import { writeLabels } from "../labels/labels.ts";
import { countRollouts, listRollouts } from "./query.ts";
import {
  makeRollout,
  makeWorkspace,
  toLine,
  type Workspace,
} from "../../../../test/support/evidence/evidence.ts";
import type { Store } from "../archive/store.ts";

const train = { split: "train" } as const;

describe("groups of rollouts", () => {
  let workspace: Workspace;
  let store: Store;
  before(async () => {
    workspace = await makeWorkspace();
    store = await workspace.open();
  });
  after(() => workspace.remove());

  it("are counted by a value, under the filter of the list", async () => {
    const given: Partial<Rollout>[] = Array.from({ length: 12 }, (_, i) => ({
      outcome: i % 3 === 0 ? "pass" : "fail",
      step: 11 - i,
      item: `item-${i % 4}`,
      stop_reason: i < 5 ? "max_turns" : null,
      reward: i,
    }));
    const version = "v1";
    const path = workspace.file("rollouts.jsonl");
    await writeFile(
      path,
      given.map((r, i) => toLine(makeRollout({ id: `r-${i}`, run: version, ...r }))).join(""),
    );
    await ingestFile(store, { path, kind: "rollouts", version });
    const labels = [0, 1, 2].map((i) => ({ label: i === 2 ? "b" : "a", rid: i }));
    const { rollouts } = await listRollouts(store, { ...train, version });
    for (const { label, rid } of labels)
      await writeLabels(store, {
        label,
        revision: "r",
        labels: [{ run: version, id: rollouts[rid]?.id ?? "", turns: [] }],
      });
    const by = async (grouping: Parameters<typeof groupRollouts>[2]["by"], limit = 10, filter = {}) => {
      const found = await groupRollouts(store, { ...train, version, ...filter }, { by: grouping, limit });
      return [found.groups.map((g) => [g.value, g.rollouts, g.pass]), found.more];
    };
    assert.deepEqual(await by("outcome"), [
      [
        ["fail", 8, 0],
        ["pass", 4, 4],
      ],
      false,
    ]);
    assert.deepEqual(await by("stop_reason"), [
      [
        [null, 7, 2],
        ["max_turns", 5, 2],
      ],
      false,
    ]);
    assert.deepEqual(await by("label"), [
      [
        [null, 9, 3],
        ["a", 2, 1],
        ["b", 1, 0],
      ],
      false,
    ]);
    const [counting, invalidating] = [{ ...train, version }, ["a"]];
    const { groups: valid } = await groupRollouts(store, counting, { by: "outcome", limit: 9, invalidating });
    assert.deepEqual(
      valid.map((g) => [g.value, g.rollouts, g.pass, g.notValid]),
      [
        ["fail", 8, 0, 1],
        ["pass", 4, 3, 1],
      ],
      "a rollout with an invalidating label counts as no pass",
    );
    assert.deepEqual(await countRollouts(store, counting, invalidating), {
      ...{ pass: 3, fail: 7, unknown: 0, notValid: 2, total: 12 },
    });
    assert.deepEqual(await by("step", 2), [
      [
        ["0", 1, 0],
        ["1", 1, 0],
      ],
      true,
    ]);
    const long = { where: { sql: "f.n_turns >= 0 AND r.reward > 8", params: [] } };
    assert.deepEqual(await by("item", 10, long), [
      [
        ["item-1", 1, 1],
        ["item-2", 1, 0],
        ["item-3", 1, 0],
      ],
      false,
    ]);
  });
});
