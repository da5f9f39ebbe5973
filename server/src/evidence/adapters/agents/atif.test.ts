import assert from "node:assert/strict";
import { mkdir, writeFile } from "node:fs/promises";
import { dirname } from "node:path";
import type { Rollout } from "../../../../../shared/model/rollout.ts";
import { fuzzRuns } from "../../../../../test/support/base/fuzz.ts";
import {
  allRollouts,
  fixtureSet,
  importPaths,
  type ImportResult,
} from "../../../../../test/support/evidence/import.ts";
import type { Store } from "../../archive/store.ts";
import { makeWorkspace, type Workspace } from "../../../../../test/support/evidence/evidence.ts";
import { atif } from "./atif.ts";
import { fuzzAdapter, jsonSample } from "../../../../../test/support/adapters/fuzzAdapter.ts";

const user = { step_id: 1, source: "user", message: "Fix it.", timestamp: "2026-01-02T03:04:05Z" };
const act = (message: string, tokens: number, changes: object = {}): object => ({
  source: "agent",
  message,
  metrics: { prompt_tokens: 9, completion_tokens: tokens },
  ...changes,
});
const trajectory = (steps: readonly object[], changes: object = {}): object => ({
  schema_version: "ATIF-v1.7",
  session_id: "s",
  agent: { name: "a", version: "1", model_name: "lab/m1" },
  steps: steps.map((step, i) => ({ step_id: i + 1, ...step })),
  ...changes,
});
const call = { tool_call_id: "c1", function_name: "sh", arguments: { cmd: "ls" } };
const refer = (ref: object): object => ({ results: [{ subagent_trajectory_ref: [ref] }] });

describe("atif", () => {
  let workspace: Workspace;
  let store: Store;
  beforeEach(async () => {
    workspace = await makeWorkspace();
    store = await workspace.open();
  });
  afterEach(() => workspace.remove());

  async function write(name: string, value: unknown): Promise<void> {
    await mkdir(dirname(workspace.file(name)), { recursive: true });
    await writeFile(workspace.file(name), JSON.stringify(value));
  }
  const bring = (): Promise<ImportResult> => importPaths(store, [workspace.file("runs")]);
  async function only(value: unknown): Promise<Rollout> {
    await write("runs/a.json", value);
    await bring();
    const [rollout] = await allRollouts(store);
    assert.ok(rollout !== undefined);
    return rollout;
  }

  for (const version of ["1.0", "1.1", "1.2", "1.3", "1.4", "1.5", "1.6", "1.7"])
    it(`reads version ${version}`, async () => {
      const { extra, turns, ...rest } = await only(
        trajectory(
          [
            user,
            act("Look.", 3, {
              reasoning_content: "Hm.",
              tool_calls: [call, { ...call, tool_call_id: "c2" }],
              observation: { results: [{ source_call_id: "c1", content: "x" }, { content: { ok: true } }] },
              timestamp: "2026-01-02T03:04:07.5Z",
            }),
            act("Dispatch.", 0, { llm_call_count: 0, metrics: undefined }),
            {
              source: "system",
              message: [
                { type: "text", text: "Stop." },
                { type: "image", source: {} },
              ],
            },
          ],
          { schema_version: `ATIF-v${version}` },
        ),
      );
      assert.deepEqual(turns, [
        { role: "user", text: "Fix it." },
        {
          role: "assistant",
          text: "<think>\nHm.\n</think>\n\nLook.",
          tool: "sh",
          args: { cmd: "ls" },
          tokens: 3,
        },
        { role: "assistant", text: "", tool: "sh", args: { cmd: "ls" } },
        { role: "tool", text: "x" },
        { role: "tool", text: '{"ok":true}' },
        { role: "assistant", text: "Dispatch." },
        { role: "system", text: "Stop.\n[image]" },
      ]);
      assert.deepEqual(
        [rest.run, rest.id, rest.outcome, rest.unknown_reason, rest.tokens, rest.policy],
        ["runs", "a-1", "unknown", "ATIF has no verdict", 3, "lab/m1"],
      );
      assert.deepEqual([rest.started_at, rest.duration_ms], ["2026-01-02T03:04:05Z", 2500]);
      assert.equal(extra["session_id"], "s");
    });

  it("continues in continuation files, and neither repeats nor counts what they copied", async () => {
    await write(
      "runs/trajectory.json",
      trajectory([user, act("One.", 5)], { continued_trajectory_ref: "trajectory.cont-1.json" }),
    );
    const copied = { is_copied_context: true };
    await write(
      "runs/trajectory.cont-1.json",
      trajectory(
        [{ ...user, ...copied }, act("Handoff?", 50, { ...copied, tool_calls: [call] }), act("Two.", 7)],
        { continued_trajectory_ref: "trajectory.cont-2.json" },
      ),
    );
    await write(
      "runs/trajectory.cont-2.json",
      trajectory([act("Three.", 1)], { continued_trajectory_ref: "trajectory.json" }),
    );
    const { counts } = await bring();
    const rollouts = await allRollouts(store);
    assert.deepEqual([counts.read, rollouts.length, rollouts[0]?.tokens], [1, 1, 13]);
    assert.deepEqual(
      rollouts[0]?.turns.map((t) => [t.role, t.text, t.tool]),
      [
        ["user", "Fix it.", undefined],
        ["assistant", "One.", undefined],
        ["assistant", 'Handoff?\n[sh {"cmd":"ls"}]', undefined],
        ["assistant", "Two.", undefined],
        ["assistant", "Three.", undefined],
      ],
    );
  });

  it("reads a continuation as a separate rollout when the earlier file does not lead to it", async () => {
    await write("runs/trajectory.json", trajectory([user, act("Other.", 5)]));
    await write(
      "runs/trajectory.cont-1.json",
      trajectory([{ ...user, is_copied_context: true }, act("Two.", 7)]),
    );
    await bring();
    assert.deepEqual(
      (await allRollouts(store)).map((r) => [r.id, r.tokens, r.turns.length]),
      [
        ["trajectory.cont-1-1", 7, 2],
        ["trajectory-1", 5, 2],
      ],
    );
  });

  it("reads subagents where they were called: embedded, in files, by reference in any order", async () => {
    const sub = (name: string, tokens: number): object =>
      trajectory([act(`By ${name}.`, tokens)], { trajectory_id: name, agent: { name, version: "1" } });
    await write("runs/trajectory.sub.json", sub("file", 4));
    await write(
      "runs/trajectory.json",
      trajectory(
        [
          user,
          act("Call.", 1, { observation: refer({ trajectory_id: "inner" }) }),
          act("Again.", 2, { observation: refer({ trajectory_path: "trajectory.sub.json" }) }),
        ],
        { subagent_trajectories: [sub("inner", 10), sub("never", 20)] },
      ),
    );
    await bring();
    const rollouts = await allRollouts(store);
    assert.deepEqual([rollouts.length, rollouts[0]?.tokens], [1, 37]);
    assert.deepEqual(
      rollouts[0]?.turns.map((t) => t.text),
      ["Fix it.", "Call.", "[inner] By inner.", "Again.", "[file] By file.", "[never] By never."],
    );
  });

  it("follows no reference out of the folder, and says how many trajectories are missing", async () => {
    await write("secret.json", trajectory([act("Secret.", 1)]));
    for (const [i, path] of [
      "../secret.json",
      workspace.file("secret.json"),
      "s3://x/y.json",
      "gone.json",
    ].entries())
      await write(
        `runs/${i}.json`,
        trajectory([act("Call.", 2, { observation: refer({ trajectory_path: path }) })]),
      );
    await bring();
    for (const rollout of await allRollouts(store)) {
      assert.deepEqual(rollout.turns, [{ role: "assistant", text: "Call.", tokens: 2 }]);
      assert.equal(rollout.extra["missing_trajectories"], 1);
    }
  });

  const tokens: readonly [
    what: string,
    steps: object[],
    total: number | undefined,
    expected: number | null,
  ][] = [
    ["the sum of its steps", [act("", 2), act("", 3)], undefined, 5],
    ["the total when it is larger", [act("", 2)], 9, 9],
    ["the total when the steps have no counts", [act("", 2), { source: "agent", message: "" }], 9, 9],
    ["nothing when neither is known", [act("", 2), { source: "agent", message: "" }], undefined, null],
    ["nothing when the total is 0 and no step has a count", [{ source: "agent", message: "" }], 0, null],
    ["the sum when the total includes copies", [act("a", 2), act("b", 7, { is_copied_context: true })], 9, 2],
  ];
  for (const [what, steps, total, expected] of tokens)
    it(`counts ${what}`, async () => {
      const final = total === undefined ? {} : { final_metrics: { total_completion_tokens: total } };
      assert.equal((await only(trajectory(steps, final))).tokens, expected);
    });

  it("refuses by name a file that is cut off or has no steps", async () => {
    await mkdir(workspace.file("runs"), { recursive: true });
    await writeFile(workspace.file("runs/cut.json"), JSON.stringify(trajectory([user])).slice(0, -9));
    await write("runs/step.json", trajectory([user, { source: "robot", message: "" }]));
    const { counts } = await bring();
    assert.deepEqual(
      counts.refused.map(
        ({ reason }) => /ends in the middle of a value|source of step 2 must be/.exec(reason)?.[0],
      ),
      ["ends in the middle of a value", "source of step 2 must be"],
    );
  });

  it("gives rollouts or reasons for any trajectory", async function () {
    this.timeout(fuzzRuns() * 500);
    const sub = trajectory([act("x", 1)], { trajectory_id: "t" });
    await fuzzAdapter(atif, [
      jsonSample(
        "a.json",
        trajectory([user, act("y", 2, { tool_calls: [call], observation: refer({ trajectory_id: "t" }) })], {
          subagent_trajectories: [sub],
          final_metrics: { total_completion_tokens: 3 },
        }),
      ),
    ]);
  });

  it("reads the real trajectories: nine documents become five rollouts", async function () {
    const { counts, skipped } = await importPaths(store, [fixtureSet(this, "agent_atif_harbor")]);
    assert.deepEqual([counts.quarantined, counts.refused], [0, []]);
    const [row] = await store.query({
      sql: "SELECT count(*)::INT AS n FROM rollouts JOIN sources USING (source) WHERE format = 'atif'",
      params: [],
    });
    // Three JSON files are examples in the agents' own formats; another adapter reads that of Gemini CLI.
    assert.equal(row?.["n"], 5);
    // Four are parts of others.
    assert.deepEqual(
      skipped.unrecognised.filter(({ path }) => path.includes("__golden__")),
      [],
    );
    const rollouts = (await allRollouts(store)).filter(({ id }) => !/mini-swe-agent|cdd63974/.test(id));
    assert.deepEqual(
      rollouts.map((r) => [
        r.id
          .split("__")
          .at(-1)
          ?.replace(/^hello-world-|-1$/g, ""),
        r.turns.length,
        r.turns.filter((t) => t.tool !== undefined).length,
        r.tokens,
        r.outcome,
      ]),
      [
        ["session-2025-12-05T07-45-57-649Z-x8251x", 11, 0, null, "unknown"],
        ["context-summarization-linear-history", 19, 0, 1030, "unknown"],
        ["context-summarization", 23, 7, 1030, "unknown"],
        ["invalid-json", 9, 3, 200, "unknown"],
        ["timeout", 7, 3, 145, "unknown"],
      ],
    );
    assert.deepEqual(
      rollouts.map((r) => [r.extra["token_logprobs"]].flat().filter((value) => value !== undefined).length),
      [0, 0, 1030, 0, 115],
    );
    assert.ok(rollouts.every((r) => r.stop_reason === null && r.reward === null && r.harness === null));
  });
});
