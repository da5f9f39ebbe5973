import assert from "node:assert/strict";
import { mkdir, writeFile } from "node:fs/promises";
import { dirname } from "node:path";
import { maskedCrc32c } from "../../reading/crc32c.ts";
import type { FileAdapter } from "../adapters/parts/adapter.ts";
import { loadDuckDb } from "../../base/loadDuckDb.ts";
import { mappedAdapter } from "../mapping/mapped.ts";
import { pickleOf } from "../../../../test/support/adapters/pickle.ts";
import type { Store } from "../archive/store.ts";
import { makeWorkspace, type Workspace } from "../../../../test/support/evidence/evidence.ts";
import { allRollouts, importPaths } from "../../../../test/support/evidence/import.ts";

const mapping = (records: string): string => `apiVersion: evotrainer/v1
kind: Evidence
name: mine
records: ${records}
match: ["*"]
fields:
  item: record.task
  reward: record.score
  outcome: { pass: "true", fail: "false" }
`;

const inspectLog = `{"version": 2, "status": "success", "eval": {"task": "t", "model": "m"}, "samples": [
  {"id": 1, "epoch": 1, "input": "?", "scores": {"a": {"value": NaN}}, "metadata": {"x": -Infinity}},
  {"id": 2, "epoch": 1, "input": "?", "scores": {"a": {"value": "C"}}}]}`;
const tauResults = `[{"task_id": 0, "trial": 0, "reward": 1.0, "info": {}, "traj": []},
  {"task_id": 1, "trial": 0, "reward": NaN, "info": {}, "traj": []}]`;
const trajectory = `{"schema_version": "ATIF-v1.7", "session_id": "s", "agent": {"name": "a", "version": "1"},
  "steps": [{"step_id": 1, "source": "user", "message": "?", "extra": {"x": NaN}}]}`;
const pickled = {
  final_reward: NaN,
  detailed_reward_info: { binary_correctness: 1, score: Infinity },
  messages: [{ role: "user", content: "?" }],
};

/** A record of a TensorBoard event file. */
function framed(...body: readonly number[]): Buffer {
  const record = Buffer.alloc(12 + body.length + 4);
  record.writeBigUInt64LE(BigInt(body.length));
  record.writeUInt32LE(maskedCrc32c(record.subarray(0, 8)), 8);
  record.set(body, 12);
  record.writeUInt32LE(maskedCrc32c(Buffer.from(body)), 12 + body.length);
  return record;
}
const version = framed(0x1a, 13, ...Buffer.from("brain.Event:2"));
/** The scalar `l` of a step. */
const scalar = (step: number, value: number): Buffer =>
  framed(0x10, step, 0x2a, 10, 10, 8, 10, 1, 0x6c, 0x15, ...Buffer.from(Float32Array.of(value).buffer));

describe("NaN and Infinity in a file", () => {
  let workspace: Workspace;
  let store: Store;
  beforeEach(async () => {
    workspace = await makeWorkspace();
    store = await workspace.open();
  });
  afterEach(() => workspace.remove());

  async function put(path: string, content: string | Uint8Array): Promise<string> {
    const full = workspace.file(path);
    await mkdir(dirname(full), { recursive: true });
    await writeFile(full, content);
    return full;
  }

  const files: readonly (readonly [string, string | Uint8Array, number, string?])[] = [
    ["run/metrics.jsonl", '{"step": 1, "loss": NaN}\n{"step": 2, "loss": 1.0}\n', 1],
    ["run/metrics.csv", "step,loss,grad\n1,nan,-inf\n2,,1\n", 2],
    ["run/events.out.tfevents.1.host", Buffer.concat([version, scalar(1, NaN), scalar(2, 0.5)]), 1],
    ["run/trainer_state.json", '{"log_history": [{"step": 1, "loss": NaN, "grad": Infinity}]}', 2],
    ["log.json", inspectLog, 2],
    ["results.json", tauResults, 1],
    ["trajectory.json", trajectory, 1],
    ["train_step_1.pkl", pickleOf([pickled, { ...pickled, final_reward: 1 }]), 3],
    ["mine.json", '[{"task": "a", "score": NaN}, {"task": "b", "score": 1.0}]', 1, mapping("json")],
  ];
  for (const [name, content, nonFinite, mapped] of files)
    it(`are counted once in ${name}`, async () => {
      const path = await put(name, content);
      const as = mapped === undefined ? undefined : mappedAdapter(mapped, "mine.evidence.yaml");
      const { counts } = await importPaths(store, [path], as === undefined ? {} : { as });
      assert.deepEqual([counts.problems, counts.refused], [[], []]);
      assert.equal(counts.nonFinite, nonFinite);
      assert.equal((await importPaths(store, [path])).counts.nonFinite, 0);
    });

  it("are counted in tables", async () => {
    const path = workspace.file("mine.parquet");
    const instance = await loadDuckDb().DuckDBInstance.create(":memory:", { threads: "1" });
    const connection = await instance.connect();
    await connection.run(
      `COPY (SELECT * FROM (VALUES ('a', 'nan'::DOUBLE), ('b', 'inf'::DOUBLE), ('c', 1), ('d', NULL)) t(task, score))
       TO '${path}' (FORMAT parquet)`,
    );
    connection.closeSync();
    instance.closeSync();
    const as = mappedAdapter(mapping("parquet"), "mine.evidence.yaml");
    assert.equal((await importPaths(store, [path], { as })).counts.nonFinite, 2);
    assert.deepEqual(
      (await allRollouts(store)).map(({ reward, extra }) => [reward, extra["non_finite"]]),
      [
        [null, 1],
        [null, 1],
        [1, undefined],
        [null, undefined],
      ],
    );
  });

  it("are counted once in a document that belongs to several files", async () => {
    await put("run/meta.json", '{"temperature": NaN}');
    const as: FileAdapter = {
      name: "verl",
      title: "test",
      source: "",
      provides: "rollouts",
      unit: "file",
      detect: () => true,
      async *read(file) {
        const extra = { meta: await file.beside("meta.json") };
        yield { record: 1, drafts: [{ type: "rollout", verdict: { outcome: "pass" }, turns: [], extra }] };
      },
      absent: {},
      inferred: {},
    };
    const paths = [await put("run/a.json", "{}"), await put("run/b.json", "{}")];
    const { counts } = await importPaths(store, paths, { as });
    assert.deepEqual([counts.rollouts, counts.nonFinite], [2, 1]);
  });
});
