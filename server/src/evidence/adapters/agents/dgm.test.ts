import assert from "node:assert/strict";
import { mkdir, writeFile } from "node:fs/promises";
import { dirname } from "node:path";
import { allRollouts, fixtureSet, importPaths, tally } from "../../../../../test/support/evidence/import.ts";
import type { Store } from "../../archive/store.ts";
import { makeWorkspace, type Workspace } from "../../../../../test/support/evidence/evidence.ts";
import { dgm } from "./dgm.ts";
import { fuzzAdapter } from "../../../../../test/support/adapters/fuzzAdapter.ts";

const node = (changes: object = {}): object => ({
  run_id: "20250101_000000_000000",
  overall_performance: {
    accuracy_score: 0.25,
    total_resolved_instances: 1,
    total_submitted_instances: 4,
    files: [],
    total_resolved_ids: ["good"],
    total_unresolved_ids: ["bad"],
    total_emptypatch_ids: ["lazy"],
    ...changes,
  },
});

const transcript = `[{'role': 'user', 'content': [{'type': 'text', 'text': "It's broken."}]}, {'role': 'assistant', 'content': [{'type': 'text', 'text': 'I look.'}, {'type': 'text', 'text': '<tool_use>\\n{\\'tool_name\\': bash, \\'tool_input\\': {\\'command\\': \\'ls "a"\\'}}\\n</tool_use>'}]}, {'role': 'user', 'content': [{'type': 'text', 'text': 'Tool Result: a.py'}]}, {'role': 'assistant', 'content': [{'type': 'text', 'text': '<tool_use>\\nnonsense\\n</tool_use>'}]}]\n`;

describe("Darwin Gödel Machine evaluations", () => {
  let workspace: Workspace;
  let store: Store;
  beforeEach(async () => {
    workspace = await makeWorkspace();
    store = await workspace.open();
  });
  afterEach(() => workspace.remove());

  async function put(path: string, value: unknown): Promise<void> {
    const full = workspace.file(path);
    await mkdir(dirname(full), { recursive: true });
    await writeFile(full, typeof value === "string" ? value : JSON.stringify(value));
  }
  const report = (id: string, resolved: boolean): object => ({ [id]: { resolved } });

  it("give one rollout per label, with the transcript, report and patch of its instance", async () => {
    await put("node1/metadata.json", node());
    await put("node1/predictions/node1_0/good.md", transcript);
    await put("node1/predictions/node1_0/good.json", { instance_id: "good", model_patch: "diff" });
    await put("node1/predictions/node1_0/lost.md", transcript);
    await put("node1/logs/run_evaluation/e_0/m_0/good/report.json", report("good", true));
    const { counts, skipped } = await importPaths(store, [workspace.file("node1")]);
    assert.deepEqual([counts.rollouts, counts.quarantined, skipped.unrecognisedCount], [4, 0, 0]);
    const rollouts = await allRollouts(store);
    assert.deepEqual(
      rollouts.map((r) => [r.run, r.id, r.item, r.outcome, r.turns.length, r.harness]),
      [
        ["node1", "good", "good", "pass", 4, "20250101_000000_000000"],
        ["node1", "bad", "bad", "fail", 0, "20250101_000000_000000"],
        ["node1", "lazy", "lazy", "fail", 0, "20250101_000000_000000"],
        ["node1", "lost", "lost", "unknown", 4, "20250101_000000_000000"],
      ],
    );
    assert.deepEqual(rollouts[0]?.turns, [
      { role: "user", text: "It's broken." },
      {
        role: "assistant",
        text: `I look.\n<tool_use>\n{'tool_name': bash, 'tool_input': {'command': 'ls "a"'}}\n</tool_use>`,
        tool: "bash",
        args: { command: 'ls "a"' },
      },
      { role: "tool", text: "a.py" },
      {
        role: "assistant",
        text: "<tool_use>\nnonsense\n</tool_use>",
        tool: "unreadable",
        args: { input: "nonsense" },
      },
    ]);
    assert.deepEqual(rollouts[0].extra, {
      label: "total_resolved_ids",
      judged_by: "logs/run_evaluation/e_0/m_0/good/report.json",
      model_patch: "diff",
    });
    assert.equal(rollouts[2]?.extra["label"], "total_emptypatch_ids");
    assert.deepEqual(rollouts.map(({ stop_reason }) => stop_reason).slice(0, 3), [null, null, "empty_patch"]);
    assert.match(rollouts[3]?.unknown_reason ?? "", /no list of metadata.json names it/);
  });

  it("report how many submitted instances are not listed anywhere", async () => {
    await put("node1/metadata.json", node());
    const { counts } = await importPaths(store, [workspace.file("node1")]);
    assert.equal(counts.rollouts, 3);
    assert.match(counts.problems[0]?.reason ?? "", /^1 of the 4 submitted instances is in none of its lists/);
  });

  it("leave an outcome unknown when the label and the report contradict each other", async () => {
    await put("node1/metadata.json", node());
    await put("node1/reports/bad.report.json", report("bad", true));
    await importPaths(store, [workspace.file("node1")]);
    const bad = (await allRollouts(store)).find((r) => r.item === "bad");
    assert.deepEqual(
      [bad?.outcome, bad?.unknown_reason],
      [
        "unknown",
        "the labels contradict each other: metadata.json has it in total_unresolved_ids, reports/bad.report.json says pass",
      ],
    );
  });

  it("number several evaluations of one instance, and leave out a transcript that could belong to either", async () => {
    await put("node1/metadata.json", node({ total_unresolved_ids: ["good"], total_emptypatch_ids: [] }));
    await put("node1/predictions/e_0/good.md", transcript);
    await put("node1/predictions/e_1/good.md", transcript);
    await importPaths(store, [workspace.file("node1")]);
    assert.deepEqual(
      (await allRollouts(store)).map((r) => [r.id, r.sample, r.outcome, r.turns.length]),
      [
        ["good.0", 0, "pass", 0],
        ["good.1", 1, "fail", 0],
      ],
    );
  });

  it("keep the label when the transcript cannot be read", async () => {
    await put("node1/metadata.json", node());
    await put("node1/transcripts/good.md", "[__import__('os').system('true')]");
    await importPaths(store, [workspace.file("node1")]);
    const good = (await allRollouts(store)).find((r) => r.item === "good");
    assert.deepEqual([good?.outcome, good?.extra["unreadable_transcript"]], ["pass", "transcripts/good.md"]);
  });

  it("keep the log of an OpenAI model as one answer", async () => {
    const log =
      "\n========== User Instruction ==========\nDo it.\n\n========== Agent Response ==========\nTool Response: x\nDone.\n";
    await put("node1/metadata.json", node());
    await put("node1/transcripts/good.md", log);
    await importPaths(store, [workspace.file("node1")]);
    assert.deepEqual((await allRollouts(store))[0]?.turns, [
      { role: "user", text: "Do it." },
      { role: "assistant", text: "Tool Response: x\nDone." },
    ]);
  });

  it("are read from a real file", async function () {
    const { counts, skipped } = await importPaths(store, [fixtureSet(this, "agent_dgm_initial")]);
    // 60 instances were submitted; the lists name 58 of them.
    assert.deepEqual([counts.rollouts, counts.quarantined, skipped.unrecognisedCount], [58, 1, 3]);
    assert.match(
      counts.problems[0]?.reason ?? "",
      /^2 of the 60 submitted instances are in none of its lists/,
    );
    assert.deepEqual(await tally(store, "outcome"), { fail: 46, pass: 12 });
    const rollouts = await allRollouts(store);
    assert.equal(rollouts.filter((r) => r.turns.length > 0).length, 26);
    assert.equal(rollouts.filter((r) => r.extra["judged_by"] !== undefined).length, 46);
    assert.equal(rollouts.filter((r) => r.extra["label"] === "total_emptypatch_ids").length, 12);
    assert.equal(rollouts.filter((r) => r.stop_reason === "empty_patch").length, 12);
    const turns = rollouts.flatMap((r) => r.turns);
    assert.deepEqual(
      [
        turns.filter((t) => t.tool === "bash" || t.tool === "editor").length,
        turns.filter((t) => t.role === "tool").length,
      ],
      [303, 303],
    );
    assert.ok(turns.every((t) => t.tool !== "unreadable"));
  });

  it("with broken metadata cause no error", () =>
    fuzzAdapter(dgm, [{ value: node(), name: "metadata.json" }]));
});
