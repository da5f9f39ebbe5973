import assert from "node:assert/strict";
import { writeFile } from "node:fs/promises";
import { mappedAdapter } from "../mapping/mapped.ts";
import { coverageOf, type FormatCoverage } from "./coverage.ts";
import type { Store } from "../store/database.ts";
import { importPaths } from "../../../../test/support/evidence/import.ts";
import { ingestFile } from "../ingest/ingest.ts";
import {
  makeRollout,
  makeWorkspace,
  toLine,
  type Workspace,
} from "../../../../test/support/evidence/evidence.ts";

const withTool = '<tool_call>\n{"name": "calc", "arguments": {"a": 1}}\n</tool_call>';
const verlSample = (changes: object = {}): string =>
  toLine({ input: "user\n1+1?\nassistant\n", output: "2", gts: "2", score: 1, step: 1, ...changes });
const mapping = `apiVersion: evotrainer/v1
kind: Evidence
name: mine
match: [mine.jsonl]
records: jsonl
fields:
  item: record.task
  turns: { from: record.messages }
  outcome: { pass: record.ok, fail: "!record.ok" }
  reward: record.score
`;

describe("coverageOf", () => {
  let place: Workspace;
  let store: Store;
  beforeEach(async () => {
    place = await makeWorkspace();
    store = await place.open();
  });
  afterEach(() => place.remove());

  const write = async (name: string, ...lines: string[]): Promise<string> => {
    await writeFile(place.file(name), lines.join(""));
    return place.file(name);
  };
  const only = async (...runs: string[]): Promise<FormatCoverage> => {
    const [first, another] = await coverageOf(store, runs);
    assert.ok(first !== undefined && another === undefined);
    return first;
  };
  const reasons = ({ missing }: FormatCoverage): Record<string, string | null> =>
    Object.fromEntries(missing.map(({ field, reason }) => [field, reason]));

  it("lists what a format lacks and why, what is partly missing, and what was derived", async () => {
    const file = await write(
      "a.jsonl",
      verlSample({ acc: true }),
      verlSample({ output: withTool }),
      verlSample({ score: null }),
    );
    const { skipped } = await importPaths(store, [file]);
    const found = await only(...skipped.runs);
    assert.deepEqual(
      [found.format, found.title, found.files, found.runs, found.rollouts],
      ["verl", "verl rollout dump", 1, 1, 3],
    );
    assert.deepEqual(
      Object.fromEntries(found.fields.filter((f) => f.rollouts > 0).map((f) => [f.field, f.rollouts])),
      { outcome: 1, reward: 2, components: 2, turns: 3, "turns.tool": 1, "turns.args": 1 },
    );
    const missing = reasons(found);
    assert.equal(missing["tokens"], "verl writes texts, not lengths");
    assert.equal(missing["turns.ok"], null, "it could have been there");
    assert.ok(!("outcome" in missing) && !("turns.tool" in missing));
    assert.deepEqual(
      found.partial,
      [
        { field: "outcome", rollouts: 2 },
        { field: "reward", rollouts: 1 },
        { field: "components", rollouts: 1 },
      ],
      "calls need not be in every trajectory",
    );
    assert.deepEqual(
      found.inferred.map(({ field }) => field),
      ["item", "group", "sample", "turns"],
      "turns.ok is missing, so nothing is said of how it would be inferred",
    );
    assert.deepEqual(found.unknown, [
      { reason: "the score in line 3 is null or NaN: the reward function failed", rollouts: 1 },
      { reason: "verl writes a score, not a verdict", rollouts: 1 },
    ]);
  });

  it("says that the step is unknown when every rollout has step 0", async () => {
    const line = toLine({ id: 0, task: "t", prompt: "1+1?", completion: "2", reward: 1 });
    const { skipped } = await importPaths(store, [await write("results.jsonl", line)], { as: "verifiers" });
    assert.match(reasons(await only(...skipped.runs))["step"] ?? "", /training step/);
  });

  it("keeps formats separate, and counts only the runs that were asked for", async () => {
    const dump = await write("a.jsonl", verlSample());
    await importPaths(store, [dump, await write("b.jsonl", verlSample(), verlSample())]);
    const native = await write("rollouts.jsonl", toLine(makeRollout({ run: "mine" })));
    await ingestFile(store, { path: native, kind: "rollouts", run: "mine", version: "v" });
    assert.deepEqual(
      (await coverageOf(store, ["a", "mine"])).map((c) => [c.format, c.rollouts, c.missing.length]),
      [
        ["evotrainer", 1, 0],
        ["verl", 1, 14],
      ],
    );
    assert.deepEqual(await coverageOf(store, []), []);
  });

  it("gives the reasons from a mapping file, which is stored with the rollouts that it read", async () => {
    const line = toLine({ task: "t", messages: [{ role: "user", content: "?" }], ok: true, score: 1 });
    const { skipped } = await importPaths(store, [await write("mine.jsonl", line)], {
      as: mappedAdapter(mapping, "mine.evidence.yaml"),
    });
    const found = await only(...skipped.runs);
    assert.deepEqual([found.format, found.title], ["mapping:mine", "mapping mine"]);
    const missing = reasons(found);
    assert.equal(missing["tokens"], "the mapping leaves it out");
    assert.equal(missing["turns.tool"], null);
    assert.ok(!("reward" in missing) && !("outcome" in missing));
  });

  it("lists unknown outcomes by reason, the most frequent first, at most 20", async () => {
    const lines = Array.from({ length: 25 }, (_, i) => verlSample({ score: null, step: i })).join("");
    const { skipped } = await importPaths(store, [await write("a.jsonl", lines, verlSample(), verlSample())]);
    const { unknown } = await only(...skipped.runs);
    assert.deepEqual(unknown[0], { reason: "verl writes a score, not a verdict", rollouts: 2 });
    assert.equal(unknown.length, 20);
  });

  it("counts the rollouts of the sealed audit split, but gives no reasons from it", async () => {
    const open = await write("a.jsonl", verlSample());
    const sealed = await write("b.jsonl", verlSample({ score: null }), verlSample({ acc: true }));
    const first = await importPaths(store, [open]);
    const second = await importPaths(store, [sealed], { split: "audit" });
    const found = await only(...first.skipped.runs, ...second.skipped.runs);
    assert.equal(found.rollouts, 3);
    assert.deepEqual(found.unknown, [{ reason: "verl writes a score, not a verdict", rollouts: 1 }]);
  });
});
