import assert from "node:assert/strict";
import { appendFile, mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { allRollouts, fixtureSet, importPaths, tally } from "../../../../../test/support/evidence/import.ts";
import type { Store } from "../../archive/store.ts";
import { makeWorkspace, type Workspace } from "../../../../../test/support/evidence/evidence.ts";

describe("verl", () => {
  let workspace: Workspace;
  let store: Store;
  beforeEach(async () => {
    workspace = await makeWorkspace();
    store = await workspace.open();
  });
  afterEach(() => workspace.remove());

  const sample = (changes: object = {}): string =>
    `${JSON.stringify({ input: "system\nBe brief.\nuser\n2+2?\nassistant\n", output: "#### 4", gts: "4", score: 1, step: 3, acc: true, ...changes })}\n`;

  async function dump(name: string, ...lines: string[]): Promise<string> {
    const folder = workspace.file("dump");
    await mkdir(folder, { recursive: true });
    await writeFile(join(folder, name), lines.join(""));
    return folder;
  }

  it("reads the steps of a dump folder as one run, groups by prompt, and takes acc as the verdict", async () => {
    const folder = await dump(
      "3.jsonl",
      sample(),
      sample({ acc: 0, score: 0 }),
      sample({ input: "user\nother\nassistant\n" }),
    );
    await dump("10.jsonl", sample({ step: 10 }));
    const { counts } = await importPaths(store, [folder]);
    assert.deepEqual([counts.rollouts, counts.quarantined, counts.read], [4, 0, 2]);
    const rollouts = await allRollouts(store);
    assert.deepEqual(
      rollouts.map((r) => [r.run, r.id, r.step, r.sample, r.outcome, r.reward, r.split]),
      [
        ["dump", "3-1", 3, 0, "pass", 1, "train"],
        ["dump", "3-2", 3, 1, "fail", 0, "train"],
        ["dump", "3-3", 3, 0, "pass", 1, "train"],
        ["dump", "10-1", 10, 0, "pass", 1, "train"],
      ],
    );
    assert.equal(rollouts[0]?.item, rollouts[3]?.item);
    assert.notEqual(rollouts[0]?.group, rollouts[3]?.group);
    assert.deepEqual(rollouts[0]?.turns, [
      { role: "system", text: "Be brief." },
      { role: "user", text: "2+2?" },
      { role: "assistant", text: "#### 4" },
    ]);
    assert.deepEqual(rollouts[0].extra, { gts: "4", acc: true });
    assert.equal(rollouts[0].tokens, null);
  });

  it("never guesses an outcome from a score, and does not keep a score of NaN as a number", async () => {
    const folder = await dump(
      "1.jsonl",
      sample({ acc: undefined }),
      sample({ acc: undefined, score: 7 }).replace(":7", ":NaN"),
    );
    await importPaths(store, [folder]);
    const [scored, broken] = await allRollouts(store);
    assert.ok(scored !== undefined && broken !== undefined);
    assert.deepEqual(
      [scored.outcome, scored.unknown_reason],
      ["unknown", "verl writes a score, not a verdict"],
    );
    assert.deepEqual([broken.reward, broken.outcome, broken.extra["non_finite"]], [null, "unknown", 1]);
    assert.match(broken.unknown_reason ?? "", /null or NaN/);
  });

  it("cuts a flattened output into turns, calls and tool answers", async () => {
    const output =
      'Let me see.\n<tool_call>\n{"name": "calc", "arguments": {"a": 1}}\n</tool_call>\nuser\n<tool_response>\n3\n</tool_response>\nassistant\nIt is 3.\n<tool_call>\nbroken\n</tool_call>';
    await importPaths(store, [await dump("1.jsonl", sample({ output }))]);
    const turns = (await allRollouts(store))[0]?.turns.slice(2) ?? [];
    assert.deepEqual(
      turns.map((t) => [t.role, t.tool, t.ok]),
      [
        ["assistant", "calc", undefined],
        ["tool", undefined, undefined],
        ["assistant", "unreadable", false],
      ],
    );
    assert.deepEqual([turns[0]?.args, turns[1]?.text], [{ a: 1 }, "3"]);
  });

  it("changes nothing the second time, reads the rest when a file has grown, and continues numbering the samples", async () => {
    const folder = await dump("1.jsonl", sample(), sample());
    await importPaths(store, [folder]);
    assert.equal((await importPaths(store, [folder])).counts.unchanged, 1);
    await appendFile(join(folder, "1.jsonl"), `${sample()}{"input": "torn`);
    assert.equal((await importPaths(store, [folder])).counts.rollouts, 1);
    assert.deepEqual(
      (await allRollouts(store)).map((r) => [r.id, r.sample]),
      [
        ["1-1", 0],
        ["1-2", 1],
        ["1-3", 2],
      ],
    );
  });

  it("quarantines lines that are not samples, with their line number", async () => {
    const folder = await dump("1.jsonl", sample(), "[1]\n", '{"input": 3}\n', "nonsense\n", sample());
    const { counts } = await importPaths(store, [folder]);
    assert.deepEqual([counts.rollouts, counts.problems.map((p) => p.line)], [2, [2, 3, 4]]);
  });

  it("reads the real dumps", async function () {
    const { counts, skipped } = await importPaths(store, [fixtureSet(this, "rl_verl_rollout_dump")]);
    assert.deepEqual([counts.rollouts, counts.quarantined, skipped.unrecognisedCount], [1152, 0, 1]);
    assert.deepEqual(await tally(store, "run"), { "1_8601a960": 128, hecate_rollouts_2: 1024 });
    const groups = await store.query({
      sql: `SELECT count(*)::INT AS n FROM (SELECT "group" FROM rollouts WHERE run = 'hecate_rollouts_2' GROUP BY ALL HAVING count(*) = 16)`,
      params: [],
    });
    assert.equal(groups[0]?.["n"], 64);
  });
});
