import assert from "node:assert/strict";
import { writeFile } from "node:fs/promises";
import fc from "fast-check";
import { HarnessError } from "../../base/errors.ts";
import type { Outcome, Rollout, Turn } from "../../../../shared/model/rollout.ts";
import { ensureFeatures } from "../store/derived.ts";
import { featuresOf } from "../contract/features.ts";
import { ingestFile } from "../ingest/ingest.ts";
import { labelAll } from "../labels/labelAll.ts";
import { SharedReads } from "../labels/sharedReads.ts";
import { writeLabels } from "../labels/labels.ts";
import { groupRollouts } from "./groupedRollouts.ts";
import { groupColumns } from "./groupColumns.ts";
import { countRollouts, listRollouts, outcomesByItem } from "./query.ts";
import { rolloutOrders } from "../../../../shared/model/rolloutOrders.ts";
import { readRollout } from "./readRollout.ts";
import { groupSignals, stopReasons } from "./signals.ts";
import type { SplitScope } from "../store/split.ts";
import { unsealAudit } from "../store/split.ts";
import type { SqlFragment, Store } from "../archive/store.ts";
import {
  makeRollout,
  makeWorkspace,
  toLine,
  type Workspace,
} from "../../../../test/support/evidence/evidence.ts";

describe("archive queries", function () {
  this.timeout(60_000); // real files and processes on a machine that may be busy
  let workspace: Workspace;
  let store: Store;
  before(async () => {
    workspace = await makeWorkspace();
    store = await workspace.open();
  });
  after(() => workspace.remove());

  let files = 0;
  /** Puts rollouts into the archive as a version of its own and returns its name. */
  const bring = async (rollouts: readonly Partial<Rollout>[]): Promise<string> => {
    const name = `v${files++}`;
    const path = workspace.file(`${name}.jsonl`);
    const text = rollouts.map((r, i) => toLine(makeRollout({ id: `r-${i}`, run: name, ...r }))).join("");
    await writeFile(path, text);
    const report = await ingestFile(store, { path, kind: "rollouts", version: name });
    assert.equal(report.bad, 0);
    return name;
  };
  const train = { split: "train" } as const;

  it("keep the audit split sealed unless the caller has the token", async () => {
    const version = await bring([{ split: "audit" }, { split: "selection" }]);
    // What a caller could send from outside the types.
    const forged = ['{"split":"audit"}', '{"split":"audit","unsealed":{"because":"I say so"}}'].map(
      (text): SplitScope => JSON.parse(text) as SplitScope,
    );
    for (const scope of forged) {
      const scoped = { ...scope, version };
      for (const query of [
        () => countRollouts(store, scoped),
        () => listRollouts(store, scoped),
        () => outcomesByItem(store, scoped),
        () => groupRollouts(store, scoped, { by: "item", limit: 1 }),
        () => groupSignals(store, scoped),
        () => stopReasons(store, scoped),
        () =>
          labelAll(store, {
            scope: scoped,
            labels: [{ label: "x", revision: "1", where: ["true"], evidence: null }],
            reads: new SharedReads(),
          }),
        () => groupColumns(store, scoped, { signals: [] }),
      ])
        await assert.rejects(
          async () => query(),
          (e) => HarnessError.is(e, "badInput") && /audit split is sealed/.test(e.message),
        );
    }
    await assert.rejects(readRollout(store, { within: version, id: "r-0" }), /audit split is sealed/);
    assert.equal((await readRollout(store, { within: version, id: "r-1" })).rollout.split, "selection");
    // The start of a name is enough where it fits one; what is sealed is none of those that it may fit.
    assert.equal((await readRollout(store, { within: version, id: "r-" })).rollout.id, "r-1");
    await assert.rejects(readRollout(store, { within: version, id: "" }), /There is no rollout/);
    const unsealed = unsealAudit("promoted");
    assert.equal((await countRollouts(store, { split: "audit", unsealed, version })).total, 1);
    assert.equal((await readRollout(store, { within: version, id: "r-0", unsealed })).rollout.split, "audit");
  });

  it("page through a list in every order without gaps or repeats", async () => {
    const rewards = [3, null, 1, 2, 2, null, 2, 0];
    const version = await bring(
      rewards.map((reward, i) => ({
        reward,
        step: 7 - i,
        tokens: i % 3,
        item: ["é", "z", "𝕏", "Z"][i % 4] ?? "",
        stop_reason: `s${i % 2}`,
        logprob_mean: -i / 3,
        turns: Array.from({ length: i % 4 }, () => ({ role: "assistant", text: "" })),
      })),
    );
    const text = { where: { sql: "r.rid IN (SELECT rid FROM turns WHERE text = '')", params: [] } };
    const counts: number[] = [];
    const few = ["arrival", "reward", "item", "n_turns"] as const;
    for (const [filter, orders] of [
      [{}, rolloutOrders],
      [{ outcome: "pass", group: "g-1" }, few],
      [text, few],
    ] as const)
      for (const orderBy of orders)
        for (const descending of [false, true]) {
          const options = { ...train, ...filter, version, orderBy, descending };
          const all = await listRollouts(store, options);
          assert.equal(all.next, undefined);
          const paged: string[] = [];
          for (let cursor: string | undefined, page = 0; page === 0 || cursor !== undefined; page++) {
            const result = await listRollouts(store, {
              ...options,
              limit: 3,
              ...(cursor === undefined ? {} : { cursor }),
            });
            paged.push(...result.rollouts.map((r) => r.id));
            cursor = result.next;
          }
          assert.deepEqual(
            paged,
            all.rollouts.map((r) => r.id),
          );
          counts.push(paged.length);
        }
    assert.deepEqual(new Set(counts), new Set([8, 6]));
    const best = await listRollouts(store, { ...train, version, orderBy: "reward", descending: true });
    assert.deepEqual(
      best.rollouts.map((r) => r.reward),
      [3, 2, 2, 2, 1, 0, null, null],
    );
    const cursor = (await listRollouts(store, { ...train, version, orderBy: "reward", limit: 1 })).next ?? "";
    assert.notEqual(cursor, "");
    for (const options of [
      { cursor: "x" },
      { cursor, orderBy: "step" },
      { cursor, orderBy: "reward", descending: true },
      { cursor: '["item","asc",1,2]', orderBy: "item" },
      { cursor: '["step","asc","1",2]', orderBy: "step" },
    ] as const)
      await assert.rejects(listRollouts(store, { ...train, ...options }), (e) =>
        HarnessError.is(e, "badInput"),
      );
    assert.deepEqual(
      (await listRollouts(store, { ...train, version, orderBy: "item" })).rollouts.map((r) => r.item),
      ["Z", "Z", "z", "z", "é", "é", "𝕏", "𝕏"],
    );
  });

  it("filter by run, step, label and condition", async () => {
    const version = await bring([
      { step: 0 },
      { step: 4 },
      { step: 4, outcome: "fail" },
      { step: 9, split: "selection" },
    ]);
    await ensureFeatures(store);
    await writeLabels(store, {
      label: "odd",
      revision: "1",
      labels: [{ run: version, id: "r-1", turns: [1] }],
    });
    const count = async (filter: {
      run?: string;
      outcome?: Outcome;
      item?: string;
      group?: string;
      step?: number | "last";
      label?: string;
      where?: SqlFragment;
    }): Promise<number> => (await countRollouts(store, { ...train, version, ...filter })).total;
    assert.equal(await count({}), 3);
    assert.equal(await count({ step: 0 }), 1);
    assert.equal(await count({ step: "last" }), 2);
    assert.equal(await count({ label: "odd" }), 1);
    assert.equal(await count({ run: "other" }), 0);
    assert.equal(await count({ outcome: "fail" }), 1);
    assert.equal(await count({ item: "item-1", group: "g-1" }), 3);
    assert.equal(await count({ item: "item-1", group: "g-2" }), 0);
    assert.equal(
      await count({ where: { sql: "r.outcome = ? AND f.n_turns >= ?", params: ["fail", 1n] } }),
      1,
    );
    assert.equal(await count({ label: "' OR true --" }), 0);
  });

  it("give an evaluation by item, seed and sample", async () => {
    const version = await bring([
      { item: "b", sample: 1, outcome: "fail" },
      { item: "b", sample: 0 },
      { item: "a", sample: 0, seed: 2 },
      { item: "a", sample: 0, seed: 1, outcome: "unknown", unknown_reason: "crash", reward: null },
    ]);
    assert.deepEqual(
      (await outcomesByItem(store, { ...train, version })).map((r) => [
        r.item,
        r.seed,
        r.sample,
        r.outcome,
        r.reward,
      ]),
      [
        ["a", 1, 0, "unknown", null],
        ["a", 2, 0, "pass", 1],
        ["b", 1, 0, "pass", 1],
        ["b", 1, 1, "fail", 1],
      ],
    );
  });

  it("find a rollout by run or version, and ask for the run when the version has several", async () => {
    const version = await bring([
      { id: "same", run: "run-a" },
      { id: "same", run: "run-b" },
      { id: "one", run: "run-a" },
    ]);
    assert.equal((await readRollout(store, { within: "run-b", id: "same" })).rollout.run, "run-b");
    assert.equal((await readRollout(store, { within: version, id: "one" })).rollout.run, "run-a");
    await assert.rejects(
      readRollout(store, { within: version, id: "same" }),
      /is in several runs, e\.g\. run-a and run-b/,
    );
    await assert.rejects(readRollout(store, { within: version, id: "none" }), (e) =>
      HarnessError.is(e, "notFound"),
    );
  });

  it("measure dead groups, spread and the most frequent reward", async () => {
    const group = (name: string, rewards: readonly (number | null)[]): Partial<Rollout>[] =>
      rewards.map((reward) => ({ group: name, reward }));
    const all = [
      ...group("dead", [0.5, 0.5, 0.5]),
      ...group("rounding", [0.1 + 0.2, 0.3]),
      ...group("alive", [0, 1]),
      ...group("single", [0.5]),
      ...group("unknown", [null, null]),
    ].map((r, i) => ({ ...r, id: `g-${i}` }));
    const version = await bring(all);
    const { spread, ...signals } = await groupSignals(store, { ...train, version });
    assert.deepEqual(signals, {
      groups: 3,
      dead: 2,
      kept: 1,
      deadGroupRatio: 2 / 3,
      // All rollouts of the one that is alive passed.
      told: 1,
      phantom: 1,
      topReward: 0.5,
      topShare: 0.5,
    });
    assert.ok(Math.abs((spread ?? 0) - 0.5 / 3) < 1e-12);
    assert.deepEqual((await groupSignals(store, { ...train, version: "none" })).deadGroupRatio, null);
  });

  it("count stop reasons", async () => {
    const version = await bring(["abandon", "success", "abandon"].map((stop_reason) => ({ stop_reason })));
    assert.deepEqual(await stopReasons(store, { ...train, version }), [
      { reason: "abandon", rollouts: 2 },
      { reason: "success", rollouts: 1 },
    ]);
  });

  it("label rollouts that match the predicate, with the turns, and again when the diagnostic changes", async () => {
    const turns = (...tools: string[]): Turn[] =>
      tools.map((tool) => ({ role: "assistant", text: "", tool }));
    const version = await bring([
      { turns: turns("a", "a", "b"), outcome: "fail" },
      { turns: turns("a", "b"), reward: null },
      { turns: turns("b", "b", "b") },
    ]);
    const scope = { ...train, version };
    const label = async (revision: string, atLeast: number, withTurns = false) => {
      const reads = new SharedReads();
      const all = withTurns
        ? `${reads.turnCount({ conjuncts: [], parts: new Set(), answers: false })} > 0`
        : "true";
      const where = `${reads.of("f", "f.longest_tool_streak")} >= ${atLeast} AND ${reads.of("r", "r.reward < 5")} AND ${all}`;
      const evidence = reads.evidence.add({
        conjuncts: [{ sql: `t.tool = ${reads.ofEvidence("f", "f.streak_tool")}` }, { sql: "t.idx < 9" }],
        parts: new Set(),
        answers: false,
      });
      const [result] = await labelAll(store, {
        scope,
        labels: [{ label: "echo", revision, where: [where], evidence }],
        reads,
      });
      return result;
    };
    const evidence = async (id: string) => (await readRollout(store, { within: version, id })).labels;
    // The same condition as one over scalars, and as one that reads the turns.
    for (const all of [false, true]) {
      assert.deepEqual(await label("one", 2, all), { rollouts: 3, labelled: 2, undecided: 0 });
      assert.deepEqual(await evidence("r-0"), [{ label: "echo", revision: "one", turns: [0, 1] }]);
      assert.deepEqual(await evidence("r-2"), [{ label: "echo", revision: "one", turns: [0, 1, 2] }]);
      assert.deepEqual(await label("two", 1, all), { rollouts: 3, labelled: 2, undecided: 1 });
    }
    assert.deepEqual(await label("three", 3), { rollouts: 3, labelled: 1, undecided: 0 });
    assert.deepEqual(await evidence("r-0"), []);
    assert.deepEqual(await evidence("r-2"), [{ label: "echo", revision: "three", turns: [0, 1, 2] }]);
    await assert.rejects(
      writeLabels(store, {
        label: "echo",
        revision: "four",
        labels: [
          { run: version, id: "r-0", turns: [] },
          { run: version, id: "none", turns: [] },
        ],
      }),
      (e) => HarnessError.is(e, "notFound"),
    );
    assert.deepEqual(await evidence("r-0"), []);
    assert.equal(
      await writeLabels(store, {
        label: "seen",
        revision: "x",
        labels: [{ run: version, id: "r-0", turns: [2] }],
      }),
      1,
    );
    assert.deepEqual(await evidence("r-0"), [{ label: "seen", revision: "x", turns: [2] }]);
  });

  it("compute the same features in the archive as in memory", async () => {
    const turn = fc.record(
      {
        role: fc.constantFrom("assistant", "assistant", "tool", "user"),
        text: fc.constantFrom("", "abc", "é☃𝕏"),
        tool: fc.constantFrom("a", "b", ""),
        ok: fc.boolean(),
      },
      { requiredKeys: ["role", "text"] },
    );
    const samples = fc.sample(fc.array(turn, { maxLength: 12 }), 200);
    const version = await bring(samples.map((turns) => ({ turns })));
    await ensureFeatures(store);
    await ensureFeatures(store);
    const rows = await store.query({
      sql: `SELECT f.* EXCLUDE (rid, tool_counts, tool_first, tool_streaks, calls, repeat_turns),
                   to_json({'tool_counts': tool_counts, 'tool_first': tool_first, 'tool_streaks': tool_streaks, 'calls': calls, 'repeat_turns': repeat_turns})::VARCHAR AS json
            FROM features f JOIN rollouts r USING (rid) WHERE r.version = ? ORDER BY rid`,
      params: [version],
    });
    assert.equal(rows.length, samples.length);
    for (const [i, row] of rows.entries()) {
      const { json, ...numbers } = row;
      const got = {
        ...Object.fromEntries(
          Object.entries(numbers).map(([k, v]) => [k, typeof v === "bigint" ? Number(v) : v]),
        ),
        ...(JSON.parse(String(json)) as object),
      };
      assert.deepEqual(got, featuresOf(samples[i] ?? []), JSON.stringify(samples[i]));
    }
  });
});
