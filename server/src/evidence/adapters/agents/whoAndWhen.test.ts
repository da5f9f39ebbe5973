import assert from "node:assert/strict";
import { mkdir, writeFile } from "node:fs/promises";
import { fuzzRuns } from "../../../../../test/support/base/fuzz.ts";
import { allRollouts, fixtureSet, importPaths, tally } from "../../../../../test/support/evidence/import.ts";
import type { Store } from "../../archive/store.ts";
import { makeWorkspace, type Workspace } from "../../../../../test/support/evidence/evidence.ts";
import { fuzzAdapter, jsonSample } from "../../../../../test/support/adapters/fuzzAdapter.ts";
import { whoAndWhen } from "./whoAndWhen.ts";

const generated = {
  is_correct: false,
  question: "How many?",
  question_ID: "q1",
  level: "2",
  ground_truth: "8",
  history: [
    { role: "assistant", name: "Excel_Expert", content: "Count the rows." },
    { role: "user", name: "Computer_terminal", content: "exitcode: 1 (execution failed)\nCode output: …" },
    { role: "user", name: "Checker", content: "TERMINATE" },
  ],
  mistake_agent: "Excel_Expert",
  mistake_step: "0",
  mistake_reason: "It counted columns.",
  system_prompt: { Excel_Expert: "You count." },
};
const crafted = {
  question: "Where?",
  question_ID: "q2",
  ground_truth: "Here",
  is_corrected: false,
  history: [
    { role: "human", content: "Where?" },
    { role: "Orchestrator (-> WebSurfer)", content: "Search." },
    { role: "ComputerTerminal", content: "exitcode: 0 (execution succeeded)" },
  ],
  mistake_agent: "Orchestrator",
  mistake_step: 1,
  mistake_reason: "It asked the wrong one.",
};

describe("who-and-when", () => {
  let workspace: Workspace;
  let store: Store;
  beforeEach(async () => {
    workspace = await makeWorkspace();
    store = await workspace.open();
  });
  afterEach(() => workspace.remove());

  async function bring(...traces: object[]): Promise<void> {
    await mkdir(workspace.file("Traces"), { recursive: true });
    for (const [i, trace] of traces.entries())
      await writeFile(workspace.file(`Traces/${i + 1}.json`), JSON.stringify(trace, null, 4));
    await importPaths(store, [workspace.file("Traces")]);
  }

  it("reads both kinds of traces, with a turn for each message and the marked mistake", async () => {
    await bring(generated, crafted);
    const [first, second] = await allRollouts(store);
    assert.ok(first !== undefined && second !== undefined);
    assert.deepEqual(
      [first, second].map((r) => [
        r.run,
        r.id,
        r.item,
        r.outcome,
        r.extra["mistake_agent"],
        r.extra["mistake_step"],
      ]),
      [
        ["Traces", "1", "q1", "fail", "Excel_Expert", 0],
        ["Traces", "2", "q2", "fail", "Orchestrator", 1],
      ],
    );
    assert.deepEqual(first.turns, [
      { role: "assistant", text: "[Excel_Expert] Count the rows." },
      { role: "tool", text: "exitcode: 1 (execution failed)\nCode output: …", ok: false },
      { role: "assistant", text: "[Checker] TERMINATE" },
    ]);
    assert.deepEqual(second.turns, [
      { role: "user", text: "Where?" },
      { role: "assistant", text: "[Orchestrator (-> WebSurfer)] Search." },
      { role: "tool", text: "exitcode: 0 (execution succeeded)", ok: true },
    ]);
    assert.deepEqual(
      [first.extra["mistake_reason"], first.extra["ground_truth"], first.extra["system_prompt"]],
      ["It counted columns.", "8", { Excel_Expert: "You count." }],
    );
  });

  it("takes the verdict as written, and a missing one as no verdict", async () => {
    await bring({ ...generated, is_correct: true }, { ...generated, is_correct: null });
    assert.deepEqual(
      (await allRollouts(store)).map((r) => [r.outcome, r.unknown_reason]),
      [
        ["pass", undefined],
        ["unknown", "the trace does not say whether the answer was correct"],
      ],
    );
  });

  it("gives rollouts or reasons for any trace", async function () {
    this.timeout(fuzzRuns() * 500);
    await fuzzAdapter(whoAndWhen, [jsonSample("1.json", generated), jsonSample("2.json", crafted)]);
  });

  it("reads the real traces, whose marked steps are turns of the marked agents", async function () {
    const { counts } = await importPaths(store, [fixtureSet(this, "labelled_who_and_when")]);
    assert.deepEqual([counts.rollouts, counts.quarantined], [40, 0]);
    assert.deepEqual(await tally(store, "outcome"), { fail: 40 });
    assert.deepEqual(await tally(store, "run"), { "Algorithm-Generated": 28, "Hand-Crafted": 12 });
    const rollouts = await allRollouts(store);
    assert.equal(rollouts.flatMap((r) => r.turns).length, 245 + 681);
    const marked = rollouts.filter((r) => {
      const turn = r.turns[Number(r.extra["mistake_step"])];
      return turn?.text.startsWith(`[${String(r.extra["mistake_agent"])}`) === true;
    });
    assert.equal(marked.length, 40);
    assert.ok(rollouts.every((r) => typeof r.extra["mistake_reason"] === "string"));
    const terminals = rollouts.flatMap((r) => r.turns).filter((t) => t.role === "tool");
    assert.deepEqual(
      [true, false, undefined].map((ok) => terminals.filter((t) => t.ok === ok).length),
      [36, 27, 14],
    );
  });
});
