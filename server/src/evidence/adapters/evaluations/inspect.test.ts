import assert from "node:assert/strict";
import { writeFile } from "node:fs/promises";
import { fuzzRuns } from "../../../../../test/support/base/fuzz.ts";
import { allRollouts, fixtureSet, importPaths, tally } from "../../../../../test/support/evidence/import.ts";
import { makeZip, zstdFrame, type Part } from "../../../../../test/support/reading/zip.ts";
import type { Store } from "../../archive/store.ts";
import { makeWorkspace, type Workspace } from "../../../../../test/support/evidence/evidence.ts";
import { inspect } from "./inspect.ts";
import { fuzzAdapter, jsonSample } from "../../../../../test/support/adapters/fuzzAdapter.ts";

const spec = { task: "sums", model: "lab/m1", created: "2026-01-02T03:04:05+00:00", dataset: {}, config: {} };
const log = (changes: object = {}): object => ({
  version: 2,
  status: "success",
  eval: { ...spec, revision: { type: "git", commit: "abc123" } },
  plan: { config: { seed: 7 } },
  ...changes,
});
const modelEvent = (changes: object = {}): object => ({
  event: "model",
  span_id: "solve",
  model: "lab/m1",
  output: {
    choices: [{ message: { id: "m2", role: "assistant", content: "4" }, stop_reason: "stop" }],
    usage: { output_tokens: 5 },
    time: 0.25,
  },
  ...changes,
});
const sample = (changes: object = {}): object => ({
  id: 1,
  epoch: 1,
  input: "2+2?",
  target: "4",
  messages: [
    { id: "m1", role: "user", source: "input", content: "2+2?" },
    { id: "m2", role: "assistant", source: "generate", content: "4" },
  ],
  output: { choices: [{ message: { role: "assistant", content: "4" }, stop_reason: "stop" }] },
  scores: { match: { value: "C", answer: "4" } },
  events: [
    { event: "span_begin", id: "solve", type: "solver", timestamp: "2026-01-02T03:04:06+00:00" },
    modelEvent(),
    { event: "span_begin", id: "score", type: "scorers" },
    { event: "span_begin", id: "grade", parent_id: "score", type: null },
    modelEvent({ span_id: "grade" }),
    modelEvent({ role: "grader" }),
  ],
  total_time: 1.5,
  ...changes,
});

describe("inspect", () => {
  let workspace: Workspace;
  let store: Store;
  beforeEach(async () => {
    workspace = await makeWorkspace();
    store = await workspace.open();
  });
  afterEach(() => workspace.remove());

  async function write(name: string, content: string | Uint8Array): Promise<string> {
    await writeFile(workspace.file(name), content);
    return workspace.file(name);
  }
  const json = (samples: readonly unknown[], changes: object = {}): string =>
    JSON.stringify({ ...log(changes), samples, reductions: [] }, null, 2);
  const member = (name: string, value: unknown): Part => ({ name, data: Buffer.from(JSON.stringify(value)) });
  const archive = (samples: readonly object[], ...headers: Part[]): Buffer =>
    makeZip([
      member("_journal/start.json", { version: 2, eval: spec, plan: {} }),
      ...samples.map((s, i) => member(`samples/${i + 1}_epoch_1.json`, s)),
      ...headers,
    ]);
  const header = member("header.json", log());

  it("reads a sample with its score, its tokens without those of the graders, and its origin", async () => {
    await importPaths(store, [await write("log.json", json([sample()]))]);
    const [rollout] = await allRollouts(store);
    assert.ok(rollout !== undefined);
    const { extra, ...rest } = rollout;
    assert.deepEqual(rest, {
      id: "1_epoch_1",
      run: "log",
      split: "selection",
      step: 0,
      item: "sums/1",
      group: "0/sums/1",
      sample: 0,
      outcome: "pass",
      reward: 1,
      components: { match: 1 },
      stop_reason: "stop",
      turns: [
        { role: "user", text: "2+2?" },
        { role: "assistant", text: "4", tokens: 5, ms: 250 },
      ],
      tokens: 5,
      policy: "lab/m1",
      harness: "abc123",
      seed: 7,
      started_at: "2026-01-02T03:04:06+00:00",
      duration_ms: 1500,
    });
    assert.deepEqual(extra, {
      status: "success",
      target: "4",
      scores: { match: { value: "C", answer: "4" } },
    });
  });

  it("reads epochs as the samples of one group", async () => {
    const samples = [sample(), sample({ epoch: 2 }), sample({ id: "b c/d", epoch: 2 })];
    await importPaths(store, [await write("log.json", json(samples))]);
    assert.deepEqual(
      (await allRollouts(store)).map((r) => [r.id, r.group, r.sample]),
      [
        ["1_epoch_1", "0/sums/1", 0],
        ["1_epoch_2", "0/sums/1", 1],
        ["b c/d_epoch_2", "0/sums/b c/d", 1],
      ],
    );
  });

  it("leaves failed, cancelled, invalidated and unscored samples undecided, and names limits", async () => {
    const samples = [
      sample({ id: "error", error: { message: "sandbox lost", traceback: "…" }, messages: [] }),
      sample({ id: "invalid", invalidation: { reason: "leak" } }),
      sample({ id: "limit", limit: { type: "token", limit: 100 } }),
      sample({ id: "nan", scores: { match: { value: Number.MAX_VALUE } } }),
    ];
    await write("a.json", json(samples).replace("1.7976931348623157e+308", "NaN"));
    const unscored = sample({ id: "unscored", scores: { match: { value: Number.MAX_VALUE } } });
    await write("b.json", json([sample()], { status: "cancelled" }));
    await write(
      "c.json",
      json([unscored], { status: "error", error: { message: "quota" } }).replace(
        "1.7976931348623157e+308",
        "NaN",
      ),
    );
    await importPaths(
      store,
      ["a.json", "b.json", "c.json"].map((name) => workspace.file(name)),
    );
    const rollouts = await allRollouts(store);
    assert.deepEqual(
      rollouts.map((r) => [r.outcome, r.unknown_reason, r.stop_reason]),
      [
        ["unknown", "the sample failed: sandbox lost", "error"],
        ["unknown", "the sample was invalidated: leak", "stop"],
        ["pass", undefined, "token"],
        ["unknown", "the scorer match left the sample unscored", "stop"],
        ["pass", undefined, "stop"],
        ["unknown", "the status of the log is error: quota", "stop"],
      ],
    );
    assert.deepEqual(rollouts[0]?.turns, [{ role: "user", text: "2+2?" }]);
    assert.equal(rollouts[3]?.extra["non_finite"], 1);
    assert.equal(rollouts[4]?.reward, 1);
  });

  it("puts calls, answers, reasoning and attachments in the right places", async () => {
    const messages = [
      { id: "m0", role: "system", content: "attachment://aa" },
      {
        id: "m1",
        role: "user",
        content: [
          { type: "text", text: "tc://bb" },
          { type: "image", image: "attachment://cc" },
        ],
      },
      {
        id: "m2",
        role: "assistant",
        content: [
          { type: "reasoning", reasoning: "c2VjcmV0", redacted: true, summary: "Think." },
          { type: "text", text: "Look." },
          {
            type: "tool_use",
            tool_type: "web_search",
            id: "s1",
            name: "web",
            arguments: '{"q": 1}',
            result: "found",
          },
        ],
        tool_calls: [
          { id: "c1", function: "bash", arguments: { cmd: "attachment://bb" } },
          { id: "c2", function: "bash", arguments: {}, parse_error: "bad" },
        ],
      },
      {
        id: "m3",
        role: "tool",
        tool_call_id: "c1",
        content: "",
        error: { type: "timeout", message: "too slow" },
      },
      { id: "m4", role: "tool", tool_call_id: "c2", content: "parsed" },
    ];
    const events = [{ event: "tool", id: "c1", working_time: 2 }];
    const attachments = { aa: "Be brief.", bb: "hello", cc: "data:image/png;base64,AAAA" };
    await importPaths(store, [await write("log.json", json([sample({ messages, events, attachments })]))]);
    const [rollout] = await allRollouts(store);
    assert.ok(rollout !== undefined);
    assert.deepEqual(rollout.turns, [
      { role: "system", text: "Be brief." },
      { role: "user", text: "hello\n[image]" },
      { role: "assistant", text: "<think>\nThink.\n</think>\nLook.", tool: "web", args: { q: 1 }, ok: true },
      { role: "assistant", text: "", tool: "bash", args: { cmd: "hello" }, ok: false },
      { role: "assistant", text: "", tool: "bash", args: {}, ok: false },
      { role: "tool", text: "found" },
      { role: "tool", text: "too slow", ms: 2000 },
      { role: "tool", text: "parsed" },
    ]);
    assert.equal(rollout.tokens, null);
  });

  it("refuses a sample whose attachments unfold without end", async () => {
    const messages = Array.from({ length: 70 }, () => ({ role: "user", content: "attachment://aa" }));
    const bomb = sample({ messages, attachments: { aa: "x".repeat(1024 * 1024) } });
    const { counts } = await importPaths(store, [await write("log.json", json([bomb, sample()]))]);
    assert.equal(counts.rollouts, 1);
    assert.match(counts.problems[0]?.reason ?? "", /attachments of the sample unfold to more than 64 MiB/);
  });

  it("reads finished archives, and unfinished ones from their journal", async () => {
    await write("done.eval", archive([sample()], header));
    await write("running.eval", archive([sample()]));
    await importPaths(store, [workspace.file("done.eval"), workspace.file("running.eval")]);
    assert.deepEqual(
      (await allRollouts(store)).map((r) => [r.run, r.outcome, r.harness, r.extra["status"]]),
      [
        ["done", "pass", "abc123", "success"],
        ["running", "pass", null, "started"],
      ],
    );
  });

  it("reads zstd members, takes the last copy of a sample written twice, and loses only the damaged one", async () => {
    const zstd = Buffer.from(JSON.stringify(sample({ id: 9 })));
    const parts: Part[] = [
      header,
      member("samples/1_epoch_1.json", sample({ scores: { match: { value: "I" } } })),
      { name: "samples/9_epoch_1.json", data: zstd, method: 93, packed: zstdFrame(zstd) },
      { name: "samples/2_epoch_1.json", data: Buffer.from("{}"), crc: 1 },
      { name: "samples/3_epoch_1.json", data: Buffer.from('{"id": 3') },
      member("samples/1_epoch_1.json", sample()),
    ];
    const { counts } = await importPaths(store, [await write("log.eval", makeZip(parts))]);
    assert.deepEqual(
      (await allRollouts(store)).map((r) => [r.id, r.outcome]),
      [
        ["1_epoch_1", "pass"],
        ["9_epoch_1", "pass"],
      ],
    );
    assert.deepEqual(
      counts.problems.map(({ line, reason }) => [line, /checksum|middle of a value/.exec(reason)?.[0]]),
      [
        [3, "checksum"],
        [4, "middle of a value"],
      ],
    );
  });

  it("names a log without samples", async () => {
    await write("a.json", json([], { status: "error" }));
    await write("b.eval", archive([]));
    const { counts } = await importPaths(store, [workspace.file("a.json"), workspace.file("b.eval")]);
    assert.deepEqual(
      counts.problems.map((p) => p.reason),
      [
        "the log of sums (status error) has no samples, so it contains no rollouts",
        "the log of sums (status started) has no samples, so it contains no rollouts",
      ],
    );
    assert.equal(counts.rollouts, 0);
  });

  const zeros = Buffer.alloc(20 * 1024 * 1024);
  const hostile: readonly [name: string, content: Buffer, reason: RegExp][] = [
    ["bomb", makeZip([header, { name: "samples/1_epoch_1.json", data: zeros }]), /zip bomb/],
    ["path", makeZip([header, member("../../evil.json", {})]), /a path that leaves the archive/],
    ["cut", archive([sample()], header).subarray(0, -40), /not a readable zip archive/],
    ["other", makeZip([member("readme.json", {})]), /neither header.json nor _journal\/start.json/],
  ];
  it("refuses hostile and cut archives by name, and reads the files beside them", async () => {
    const paths = [await write("good.eval", archive([sample()], header))];
    for (const [name, content] of hostile) paths.push(await write(`${name}.eval`, content));
    const { counts, skipped } = await importPaths(store, paths);
    assert.deepEqual([counts.rollouts, skipped.unrecognisedCount], [1, 0]);
    for (const [i, [name, , reason]] of hostile.entries()) {
      const refused = counts.refused[i];
      assert.ok(refused?.path.endsWith(`${name}.eval`) === true);
      assert.match(refused.reason, reason);
    }
  });

  it("reads logs of 2024: a score without a name, a transcript, steps, messages without ids", async () => {
    const old = sample({
      score: { value: "I" },
      scores: undefined,
      messages: [
        { role: "user", source: "input", content: "2+2?" },
        { role: "assistant", source: "generate", content: "5" },
      ],
      events: undefined,
      transcript: {
        events: [
          modelEvent({ span_id: undefined, timestamp: "2024-10-15T12:00:00-04:00" }),
          { event: "step", action: "begin", type: "scorer", name: "match" },
          modelEvent({ span_id: undefined }),
          { event: "step", action: "end", type: "scorer", name: "match" },
        ],
        content: {},
      },
    });
    const results = { scores: [{ name: "exact" }] };
    await importPaths(store, [await write("log.json", json([old], { results }))]);
    const [rollout] = await allRollouts(store);
    assert.ok(rollout !== undefined);
    assert.deepEqual([rollout.components, rollout.outcome, rollout.tokens], [{ exact: 0 }, "fail", 5]);
    assert.equal(rollout.turns[1]?.tokens, 5);
    assert.equal(rollout.started_at, "2024-10-15T12:00:00-04:00");
  });

  it("changes nothing the second time, and replaces a log that has grown", async () => {
    const path = await write("log.eval", archive([sample()]));
    await importPaths(store, [path]);
    assert.equal((await importPaths(store, [path])).counts.unchanged, 1);
    await write("log.eval", archive([sample(), sample({ id: 2 })], header));
    await importPaths(store, [path]);
    assert.deepEqual(
      (await allRollouts(store)).map((r) => r.id),
      ["1_epoch_1", "2_epoch_1"],
    );
  });

  it("gives rollouts or reasons for any log", async function () {
    this.timeout(fuzzRuns() * 500);
    await fuzzAdapter(inspect, [
      jsonSample("log.json", { ...log(), samples: [sample(), sample({ epoch: 2 })] }),
      { name: "log.eval", bytes: archive([sample()], header) },
    ]);
  });

  it("reads the real logs", async function () {
    const { counts } = await importPaths(store, [fixtureSet(this, "agent_inspect_logs")]);
    assert.deepEqual([counts.read, counts.rollouts, counts.quarantined], [16, 40, 1]);
    assert.match(counts.problems[0]?.reason ?? "", /testtaskname \(status cancelled\) has no samples/);
    // Scores: 22 C, 7 I, one number, ten without; three of them (C, C, I) are of a cancelled log. No sample failed.
    assert.deepEqual(await tally(store, "outcome"), { pass: 22, fail: 7, unknown: 11 });
    assert.deepEqual(await tally(store, "unknown_reason"), {
      null: 29,
      "the log has no score for this sample": 10,
      "the score closeness_log is 0, neither correct nor incorrect": 1,
    });
    assert.deepEqual(await tally(store, "stop_reason"), { stop: 40 });
    const rollouts = await allRollouts(store);
    const browser = rollouts.find((r) => r.item === "browser/1");
    assert.ok(browser !== undefined);
    assert.deepEqual(
      browser.turns.map((t) => [t.role, t.tool, t.ok, t.tokens]),
      [
        ["user", undefined, undefined, undefined],
        ["assistant", "web_browser_go", true, 23],
        ["tool", undefined, undefined, undefined],
        ["assistant", "web_browser_click", true, 17],
        ["tool", undefined, undefined, undefined],
        ["assistant", "web_browser_click", true, 17],
        ["tool", undefined, undefined, undefined],
        ["assistant", "web_browser_click", true, 17],
        ["tool", undefined, undefined, undefined],
        ["assistant", undefined, undefined, 207],
      ],
    );
    assert.equal(browser.tokens, 281);
    // The grader of this task is the policy's model: 292, 247 and 445 tokens of it are not the policy's.
    assert.deepEqual(
      rollouts.filter((r) => r.item.startsWith("security_guide/")).map((r) => r.tokens),
      [17, 9, 23],
    );
    assert.deepEqual(
      rollouts.filter((r) => r.run.includes("streaming")).map((r) => [r.item, r.sample, r.outcome]),
      [
        ["popularity/2", 1, "pass"],
        ["popularity/2", 0, "pass"],
        ["popularity/1", 0, "fail"],
        ["popularity/1", 1, "pass"],
      ],
    );
    assert.ok(rollouts.every((r) => r.turns.every((t) => !t.text.startsWith("attachment://"))));
    // These logs were made without a seed and without log-probabilities.
    assert.ok(rollouts.every((r) => r.seed === null && r.logprob_mean === undefined));
  });
});
