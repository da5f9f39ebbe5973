import assert from "node:assert/strict";
import { writeFile } from "node:fs/promises";
import { after, before, describe, it } from "mocha";
import { heldBefore, holdRollouts, isHeld } from "./heldRollouts.ts";
import { ingestFile } from "../ingest/ingest.ts";
import { listRollouts } from "./query.ts";
import type { RolloutFilter } from "./rolloutFilter.ts";
import type { Store } from "../archive/store.ts";
import {
  makeRollout,
  makeWorkspace,
  toLine,
  type Workspace,
} from "../../../../test/support/evidence/evidence.ts";

const condition = (tool: string) => ({
  sql: "r.rid IN (SELECT rid FROM turns WHERE tool = ?)",
  params: [tool],
});

describe("rollouts that match a filter", () => {
  let workspace: Workspace;
  let store: Store;
  let written = 0;

  before(async () => {
    workspace = await makeWorkspace();
    store = await workspace.open();
  });
  after(() => workspace.remove());

  /** Brings one rollout per tool in. */
  async function bring(tools: readonly string[]): Promise<void> {
    const run = `run-${written++}`;
    const lines = tools.map((tool, i) =>
      toLine(
        makeRollout({
          id: `r-${i}`,
          run,
          reward: -i,
          turns: [{ role: "assistant", text: "", ...(tool === "" ? {} : { tool }) }],
        }),
      ),
    );
    await writeFile(workspace.file(`${run}.jsonl`), lines.join(""));
    await ingestFile(store, { path: workspace.file(`${run}.jsonl`), kind: "rollouts", version: "v", run });
  }

  const filter: RolloutFilter = { split: "train", where: condition("bash") };
  const ids = async (): Promise<string[]> =>
    (await listRollouts(store, { ...filter, orderBy: "reward" })).rollouts.map((r) => `${r.run}/${r.id}`);

  it("are remembered until the archive is written to, and listed in any order", async () => {
    await bring(["bash", "", "open", "bash"]);
    assert.equal(heldBefore(store, filter), undefined);
    assert.deepEqual(await ids(), ["run-0/r-3", "run-0/r-0"]);
    assert.deepEqual(heldBefore(store, filter), { first: 0, bits: "1001" });
    const descending = await listRollouts(store, {
      ...filter,
      orderBy: "reward",
      descending: true,
      limit: 1,
    });
    assert.deepEqual(
      descending.rollouts.map((r) => r.id),
      ["r-0"],
    );
    await bring(["bash"]);
    assert.equal(heldBefore(store, filter), undefined);
    assert.deepEqual(await ids(), ["run-0/r-3", "run-0/r-0", "run-1/r-0"]);
  });

  it("are kept separately for every different filter, and an empty result is remembered too", async () => {
    await listRollouts(store, { ...filter, run: "run-1", orderBy: "item" });
    assert.deepEqual(heldBefore(store, { ...filter, run: "run-1" })?.bits, "00001");
    assert.equal(heldBefore(store, { ...filter, run: "run-0" }), undefined);
    assert.equal(heldBefore(store, { split: "train", where: condition("vi") }), undefined);
    const none = await holdRollouts(store, { split: "train", where: condition("vi") }, () => undefined);
    assert.equal(isHeld(none), undefined);
    assert.deepEqual(none.bits, "00000");
  });

  it("are not remembered when the reading was cancelled", async () => {
    const cancelled: RolloutFilter = { split: "train", where: condition("open") };
    await assert.rejects(
      holdRollouts(store, cancelled, () => {
        throw new Error("cancelled");
      }),
      /cancelled/,
    );
    assert.equal(heldBefore(store, cancelled), undefined);
  });
});
