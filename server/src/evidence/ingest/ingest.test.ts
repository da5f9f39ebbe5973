import assert from "node:assert/strict";
import { appendFile, readFile, writeFile } from "node:fs/promises";
import { HarnessError } from "../../base/errors.ts";
import type { Rollout } from "../../../../shared/model/rollout.ts";
import { ingestFile, type IngestOptions } from "./ingest.ts";
import { quarantinedLines } from "../store/quarantine.ts";
import { countRollouts } from "../queries/query.ts";
import { readRollout } from "../queries/readRollout.ts";
import type { Store } from "../archive/store.ts";
import {
  makeRollout,
  makeWorkspace,
  toLine,
  type Workspace,
} from "../../../../test/support/evidence/evidence.ts";
import { validateFile } from "../contract/validateFile.ts";

const refused =
  (reason: string, message: RegExp) =>
  (e: unknown): boolean =>
    HarnessError.is(e) && e.reason === reason && message.test(e.message);

describe("ingest", function () {
  this.timeout(60_000); // real files and processes on a machine that may be busy
  let workspace: Workspace;
  let store: Store;
  let path: string;
  beforeEach(async () => {
    workspace = await makeWorkspace();
    store = await workspace.open();
    path = workspace.file("rollouts.jsonl");
  });
  afterEach(() => workspace.remove());

  const ingest = (options: Partial<IngestOptions> = {}) =>
    ingestFile(store, { path, kind: "rollouts", version: "v1", run: "run-1", ...options });
  const lines = (count: number, from = 0): string =>
    Array.from({ length: count }, (_, i) => toLine(makeRollout({ id: `r-${from + i}` }))).join("");
  const count = async (table = "rollouts"): Promise<number> => {
    const [row] = await store.query({ sql: `SELECT count(*) AS n FROM ${table}`, params: [] });
    return Number(row?.["n"]);
  };

  it("keeps every field of a rollout exactly", async () => {
    const odd: Rollout = makeRollout({
      id: "odd",
      outcome: "unknown",
      unknown_reason: "verifier crashed",
      reward: null,
      components: { "a b": 0.1 + 0.2, "": -0.5, é: 1e-300 },
      turns: [
        { role: "user", text: "nul \0 quote ' \" \\ $1 ; DROP TABLE rollouts; -- \u2028 𝕏" },
        {
          role: "assistant",
          text: "",
          tool: "",
          args: { "": [null, { a: "\n" }] },
          ok: false,
          tokens: 0,
          ms: 0,
        },
      ],
      seed: -(2 ** 53 - 1),
      extra: { "'": "'", nested: [1, 2.5, "x", null, true] },
    });
    delete odd.logprob_mean;
    const none = makeRollout({ id: "none", turns: [], components: {}, extra: {} });
    await writeFile(path, [makeRollout({ id: "plain" }), odd, none].map(toLine).join(""));
    await ingest();
    for (const expected of [makeRollout({ id: "plain" }), odd, none]) {
      const read = await readRollout(store, { within: "run-1", id: expected.id });
      assert.deepEqual(read.rollout, expected);
      assert.deepEqual([read.version, read.source.path], ["v1", "rollouts.jsonl"]);
    }
  });

  it("does nothing the second time, even after the archive was closed", async () => {
    await writeFile(path, lines(5));
    assert.equal((await ingest()).rows, 5);
    const again = await ingest();
    assert.deepEqual([again.rows, again.bytes, again.bad], [0, 0, 0]);
    await store.close();
    store = await workspace.open();
    assert.equal((await ingest()).rows, 0);
    assert.equal(await count(), 5);
    assert.equal(await count("turns"), 15);
  });

  it("follows a file while it grows, and leaves a line that is still being written", async () => {
    const whole = Buffer.from(lines(4));
    const cutAt = whole.length - 30;
    await writeFile(path, whole.subarray(0, cutAt));
    const first = await ingest();
    assert.equal(first.rows, 3);
    assert.equal(first.offset + first.pending, cutAt);
    assert.ok(first.pending > 0);
    await appendFile(path, whole.subarray(cutAt));
    const second = await ingest();
    assert.deepEqual([second.rows, second.bad, second.pending], [1, 0, 0]);
    assert.equal(await count(), 4);
  });

  it("quarantines a torn last line of a finished run, and keeps one that only lacks its newline", async () => {
    await writeFile(path, lines(3).slice(0, -40));
    const torn = await ingest({ final: true });
    assert.deepEqual([torn.rows, torn.bad, torn.pending], [2, 1, 0]);
    assert.deepEqual(
      torn.quarantined.map(({ line, reason }) => [line, reason]),
      [[3, "torn JSON: the line ends in the middle of a value"]],
    );
    await writeFile(workspace.file("b.jsonl"), lines(2, 10).trimEnd());
    const whole = await ingest({ path: workspace.file("b.jsonl"), final: true });
    assert.deepEqual([whole.rows, whole.bad], [2, 0]);
    assert.equal((await ingest({ final: true })).bytes, 0);
  });

  const malformed: readonly (readonly [line: string | Buffer, reason: RegExp])[] = [
    ['{"id":"torn', /^torn JSON/],
    [
      toLine({ ...makeRollout(), outcome: "maybe" }).trimEnd(),
      /^outcome must be pass, fail or unknown, got "maybe"$/,
    ],
    [toLine(makeRollout()).trimEnd().replace('"reward":1', '"reward":NaN'), /^reward is NaN/],
    [toLine({ ...makeRollout(), step: "5" }).trimEnd(), /^step must be a number/],
    [toLine({ ...makeRollout(), outcome: "unknown" }).trimEnd(), /^unknown_reason: /],
    [Buffer.from([0x22, 0xc3, 0x28, 0x22]), /^the line is not valid UTF-8$/],
    [toLine(makeRollout({ policy: "x".repeat(34_000_000) })).trimEnd(), /^the line is longer than 32 MiB$/],
    [toLine(makeRollout({ id: "good-0" })).trimEnd(), /^id "good-0" is already used in run "run-1"/],
    [
      toLine(makeRollout({ run: "run-2" })).trimEnd(),
      /^run must be "run-1", the run of this file, got "run-2"$/,
    ],
    ["null", /^the line must be an object, got null$/],
  ];
  const mixed = malformed.flatMap(([bad], i) => [
    Buffer.from(toLine(makeRollout({ id: `good-${i}` }))),
    Buffer.concat([Buffer.from(bad), Buffer.from(i % 2 === 0 ? "\n" : "\r\n")]),
  ]);
  const offsetOf = (index: number): number =>
    mixed.slice(0, index).reduce((sum, part) => sum + part.length, 0);

  const checkMixed = async (): Promise<void> => {
    assert.equal(await count(), malformed.length);
    const quarantine = await quarantinedLines(store);
    assert.deepEqual(
      quarantine.map(({ path: file, line, offset }) => ({ file, line, offset })),
      malformed.map((_, i) => ({ file: "rollouts.jsonl", line: 2 * i + 2, offset: offsetOf(2 * i + 1) })),
    );
    for (const [i, [bad, reason]] of malformed.entries()) {
      assert.match(quarantine[i]?.reason ?? "", reason);
      assert.equal(quarantine[i]?.raw, Buffer.from(bad).subarray(0, 4096).toString());
    }
  };

  it("quarantines each malformed line with its file, line, offset and reason", async () => {
    await writeFile(path, Buffer.concat(mixed));
    const report = await ingest();
    assert.deepEqual([report.rows, report.bad], [malformed.length, malformed.length]);
    await checkMixed();
  });

  it("gives the same verdict on a line whether lines come one by one or in bulk", async () => {
    await writeFile(path, "");
    for (const part of mixed) {
      await appendFile(path, part);
      await ingest();
    }
    await checkMixed();
  });

  it("gives the same verdict in batches of every size", async () => {
    await writeFile(path, Buffer.concat(mixed));
    await ingest({ batchRows: 2 });
    await checkMixed();
  });

  it("gives the same verdict in validate, which has no run", async () => {
    await writeFile(path, Buffer.concat(mixed));
    const { records, problems } = await validateFile(path);
    assert.equal(records, malformed.length + 1);
    assert.deepEqual(
      problems.map((p) => p.line),
      malformed.map((_, i) => 2 * i + 2).filter((line) => line !== 18),
    );
  });

  it("lets two runs use the same id, but one run only once across its files", async () => {
    await writeFile(path, lines(2));
    const other = workspace.file("other.jsonl");
    await writeFile(other, toLine(makeRollout({ id: "r-0" })) + toLine(makeRollout({ id: "r-9" })));
    const second = workspace.file("second.jsonl");
    await writeFile(second, toLine(makeRollout({ id: "r-0", run: "run-2" })));
    await ingest();
    assert.deepEqual(
      (await ingest({ path: other })).quarantined.map((q) => q.line),
      [1],
    );
    assert.equal((await ingest({ path: second, run: "run-2" })).bad, 0);
  });

  it("accepts a file with several runs when no run is named", async () => {
    await writeFile(
      path,
      ["a", "b", "a"].map((run, i) => toLine(makeRollout({ run, id: `r-${i % 2}` }))).join(""),
    );
    const report = await ingestFile(store, { path, kind: "rollouts", version: "v1" });
    assert.deepEqual([report.rows, report.quarantined.map((q) => q.line)], [2, [3]]);
  });

  it("refuses a file that was truncated or replaced", async () => {
    const text = lines(3);
    await writeFile(path, text);
    await ingest();
    await writeFile(path, text.slice(0, 100));
    await assert.rejects(ingest(), refused("badInput", /was truncated: it has 100 bytes/));
    await writeFile(path, text.replace("r-0", "r-7"));
    await assert.rejects(ingest(), refused("badInput", /was replaced/));
    await writeFile(path, text.replace("r-2", "r-7") + lines(1, 9));
    await assert.rejects(ingest(), refused("badInput", /was replaced/));
    await writeFile(path, text + lines(1, 9));
    assert.equal((await ingest()).rows, 1);
  });

  it("refuses a file that belongs to another version, and a path that is not a file", async () => {
    await writeFile(path, lines(1));
    await ingest();
    await assert.rejects(ingest({ version: "v2" }), refused("badInput", /with version "v1", not "v2"/));
    await assert.rejects(ingest({ path: workspace.file("none") }), refused("notFound", /There is no file/));
    await assert.rejects(ingest({ path: workspace.root }), refused("badInput", /not a regular file/));
  });

  it("stops between batches when it is cancelled, and continues from there", async () => {
    await writeFile(path, lines(5));
    await assert.rejects(ingest({ signal: AbortSignal.abort() }), refused("cancelled", /was cancelled/));
    assert.equal((await ingest()).rows, 5);
  });

  it("handles calls one after another when they come at once", async () => {
    await writeFile(path, lines(50));
    const reports = await Promise.all(Array.from({ length: 4 }, () => ingest({ batchRows: 7 })));
    assert.equal(
      reports.reduce((sum, r) => sum + r.rows, 0),
      50,
    );
    assert.equal(await count(), 50);
  });

  it("reads metrics, one row per value", async () => {
    await writeFile(path, '{"step":0,"loss":0.5,"kl":null}\n{"step":1,"loss":NaN}\n{"step":1,"loss":0.25}\n');
    const report = await ingest({ kind: "metrics" });
    assert.deepEqual([report.rows, report.bad], [2, 1]);
    assert.deepEqual(await store.query({ sql: "SELECT line, step, name, value FROM metrics", params: [] }), [
      { line: 1n, step: 0n, name: "loss", value: 0.5 },
      { line: 1n, step: 0n, name: "kl", value: null },
      { line: 3n, step: 1n, name: "loss", value: 0.25 },
    ]);
  });

  it("counts every byte of a large file with batches limited by size", async () => {
    await writeFile(path, lines(3000));
    const report = await ingest({ batchBytes: 100_000 });
    assert.equal(report.rows, 3000);
    assert.equal(report.offset, (await readFile(path)).length);
    const counts = await countRollouts(store, { split: "train", version: "v1" });
    assert.deepEqual(counts, { pass: 3000, fail: 0, unknown: 0, notValid: 0, total: 3000 });
    const [row] = await store.query({
      sql: "SELECT count(DISTINCT rid) AS rids, max(rid) AS last, count(DISTINCT line) AS lines FROM rollouts",
      params: [],
    });
    assert.deepEqual(row, { rids: 3000n, last: 2999n, lines: 3000n });
  });
});
