import assert from "node:assert/strict";
import { appendFile, mkdir, readFile, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { allRollouts, fixtureSet, importPaths, tally } from "../../../../../test/support/evidence/import.ts";
import type { Store } from "../../archive/store.ts";
import { makeWorkspace, type Workspace } from "../../../../../test/support/evidence/evidence.ts";
import { openHands } from "./openHands.ts";
import { fuzzAdapter, type FuzzSample } from "../../../../../test/support/adapters/fuzzAdapter.ts";
import { at, inline, listed, paired, sdk } from "../../../../../test/support/adapters/openHands.ts";

describe("OpenHands outputs", () => {
  let workspace: Workspace;
  let store: Store;
  beforeEach(async () => {
    workspace = await makeWorkspace();
    store = await workspace.open();
  });
  afterEach(() => workspace.remove());

  async function put(path: string, ...rows: unknown[]): Promise<string> {
    const full = workspace.file(path);
    await mkdir(dirname(full), { recursive: true });
    await writeFile(full, rows.map((row) => `${JSON.stringify(row)}\n`).join(""));
    return full;
  }

  it("are read from a list of events: calls as the model wrote them, answers, exit codes, tokens and times", async () => {
    await importPaths(store, [await put("m1_maxiter_50/output.jsonl", listed)]);
    const [rollout] = await allRollouts(store);
    assert.ok(rollout !== undefined);
    assert.deepEqual(
      [rollout.run, rollout.item, rollout.policy, rollout.harness, rollout.tokens, rollout.stop_reason],
      ["m1_maxiter_50", "org__repo-1", "m/1", "abc", 42, "finish"],
    );
    assert.deepEqual([rollout.started_at, rollout.duration_ms], [at(0), 6000]);
    assert.equal(
      rollout.unknown_reason,
      "neither the row nor a report beside it says whether the instance is resolved",
    );
    assert.deepEqual(rollout.turns, [
      { role: "system", text: "S" },
      { role: "user", text: "Fix it." },
      { role: "system", text: "Use make." },
      {
        role: "assistant",
        text: "I look.",
        tool: "execute_bash",
        args: { command: "ls" },
        ok: false,
        tokens: 9,
        ms: 1500,
      },
      { role: "tool", text: "no", ms: 2000 },
      { role: "assistant", text: "", tool: "finish", args: { final_thought: "Done.", outputs: {} } },
    ]);
    assert.doesNotMatch(JSON.stringify(rollout.extra), /api_key|history/);
  });

  it("are read from pairs of actions and observations, with the benchmark's verdict", async () => {
    await importPaths(store, [await put("old.jsonl", paired)]);
    const [rollout] = await allRollouts(store);
    assert.deepEqual(
      [rollout?.run, rollout?.item, rollout?.outcome, rollout?.policy, rollout?.components],
      ["old", "Logic_1", "pass", "m2", { result: 1 }],
    );
    assert.deepEqual(rollout?.turns, [
      { role: "user", text: "Is it so?" },
      { role: "assistant", text: "Try.", tool: "run_ipython", args: { code: "1" } },
      { role: "tool", text: "1", ms: 2000 },
      { role: "assistant", text: "Yes." },
    ]);
  });

  it("of the resolver are read without a verdict, because its success is an opinion", async () => {
    await importPaths(store, [await put("resolver.jsonl", inline)]);
    const [rollout] = await allRollouts(store);
    assert.deepEqual(
      [rollout?.item, rollout?.outcome, rollout?.components],
      ["o/r#7", "unknown", { success: 1 }],
    );
    assert.match(rollout?.unknown_reason ?? "", /what a model thinks/);
    assert.deepEqual(rollout?.turns, [
      { role: "user", text: "Fix it." },
      { role: "assistant", text: "Look.", tool: "run", args: { command: "ls" }, ok: true },
      { role: "tool", text: "a" },
      { role: "assistant", text: "Done.", tool: "finish", args: { outputs: {} } },
    ]);
  });

  it("are read from the events of the SDK", async () => {
    await importPaths(store, [await put("out/output.jsonl", sdk)]);
    const [rollout] = await allRollouts(store);
    assert.deepEqual([rollout?.outcome, rollout?.policy], ["fail", "m3"]);
    assert.deepEqual(rollout?.turns, [
      { role: "system", text: "S" },
      { role: "user", text: "Fix it." },
      {
        role: "assistant",
        text: "<think>\nHm.\n</think>\n\nLook.",
        tool: "terminal",
        args: { command: "ls" },
        ok: true,
      },
      { role: "tool", text: "a", ms: 2000 },
      { role: "assistant", text: "", tool: "edit", args: {}, ok: false },
      { role: "tool", text: "no such tool", ms: 1000 },
    ]);
  });

  const verdicts: [string, object, string, RegExp | undefined][] = [
    ["a report in the row", { report: { resolved: true } }, "pass", undefined],
    ["a report in the test result", { test_result: { report: { resolved: true } } }, "pass", undefined],
    ["resolved in the test result", { test_result: { resolved: false } }, "fail", undefined],
    ["a flag of a benchmark", { correct: true }, "pass", undefined],
    ["a result that is not a flag", { test_result: { result: "B" } }, "unknown", /neither the row/],
    ["a grader that failed", { report: { resolved: false, error_eval: true } }, "unknown", /error_eval/],
    ["tests that hang", { report: { resolved: false, test_timeout: true } }, "unknown", /test_timeout/],
    [
      "a limit of the agent",
      { error: "RuntimeError: Agent reached maximum iteration in headless mode." },
      "unknown",
      /ended with/,
    ],
    [
      "a broken runtime",
      { error: "RuntimeError: Container died\nmore" },
      "unknown",
      /^the run broke: RuntimeError: Container died$/,
    ],
    [
      "a failure after a broken runtime",
      { error: "APIError", report: { resolved: false } },
      "unknown",
      /run broke: APIError/,
    ],
    [
      "a limit and a verdict",
      { error: "AgentStuckInLoopError: x", report: { resolved: false } },
      "fail",
      undefined,
    ],
  ];
  for (const [what, changes, outcome, reason] of verdicts)
    it(`are ${outcome} with ${what}`, async () => {
      await importPaths(store, [await put("o.jsonl", { ...listed, ...changes })]);
      const [rollout] = await allRollouts(store);
      assert.equal(rollout?.outcome, outcome);
      if (reason !== undefined) assert.match(rollout.unknown_reason ?? "", reason);
    });

  it("take the verdict from the report beside the output, and number the attempts", async () => {
    const path = await put("run/output.jsonl", listed, sdk, { ...listed, error: "APIError" });
    await writeFile(
      join(dirname(path), "report.json"),
      JSON.stringify({ resolved_ids: ["org__repo-1"], unresolved_ids: [], error_ids: [] }),
    );
    await importPaths(store, [path]);
    await appendFile(path, `${JSON.stringify(listed)}\n`);
    await importPaths(store, [path]);
    assert.deepEqual(
      (await allRollouts(store)).map((r) => [r.item, r.sample, r.outcome]),
      [
        ["org__repo-1", 0, "pass"],
        ["org__repo-2", 0, "fail"],
        ["org__repo-1", 1, "pass"],
        ["org__repo-1", 2, "pass"],
      ],
    );
  });

  it("quarantine rows that are not outputs", async () => {
    const { counts } = await importPaths(store, [
      await put(
        "o.jsonl",
        listed,
        [],
        { ...listed, history: 3 },
        { error: null },
        { ...listed, history: null },
      ),
    ]);
    assert.deepEqual(
      [counts.rollouts, counts.problems.map((p) => [p.line, p.reason])],
      [
        2,
        [
          [2, "an evaluation output must be an object"],
          [3, "history must be a list"],
          [4, "there is neither an instance nor a history"],
        ],
      ],
    );
    assert.deepEqual((await allRollouts(store))[1]?.turns, [{ role: "user", text: "Fix it." }]);
  });

  it("are read from the real files", async function () {
    const { counts, skipped } = await importPaths(store, [fixtureSet(this, "agent_openhands")]);
    assert.deepEqual(
      [counts.read, counts.rollouts, counts.quarantined, skipped.unrecognisedCount],
      [4, 111, 0, 2],
    );
    assert.deepEqual(await tally(store, "run"), {
      examples__output: 3,
      "gpt-4o-2024-05-13_maxiter_10_N_v1.5__output": 6,
      mock_output__output: 2,
      "output_gpt-4o-2024-05-13_hf": 100,
    });
    // gorilla: 22 of 100 correct; ProntoQA: 5 of 6; the SWE-bench examples and the resolver have no verdict.
    assert.deepEqual(await tally(store, "outcome"), { fail: 79, pass: 27, unknown: 5 });
    const rollouts = await allRollouts(store);
    const limited = rollouts.filter((r) => r.stop_reason?.includes("maximum iteration"));
    assert.deepEqual([limited.length, rollouts.filter((r) => r.stop_reason === "finish").length], [1, 110]);
    assert.match(limited[0]?.unknown_reason ?? "", /^the run ended with/);
    const examples = rollouts.filter((r) => r.run === "examples__output").flatMap((r) => r.turns);
    assert.deepEqual(
      [
        examples.filter((t) => t.tool !== undefined).length,
        examples.filter((t) => t.tool === "execute_bash" && t.ok !== undefined).length,
      ],
      [105, 49],
    );
  });

  it("with broken rows cause no error", () =>
    fuzzAdapter(
      openHands,
      [listed, paired, inline, sdk].map((value) => ({ value, name: "output.jsonl" })),
    ));

  it("with broken versions of real rows cause no error", async function () {
    const folder = fixtureSet(this, "agent_openhands");
    const samples: FuzzSample[] = [];
    for (const name of ["mock_output__output.jsonl", "output_gpt-4o-2024-05-13_hf.jsonl"])
      samples.push({
        value: JSON.parse((await readFile(join(folder, name), "utf8")).split("\n", 1)[0] ?? ""),
        name,
      });
    await fuzzAdapter(openHands, samples);
  });
});
