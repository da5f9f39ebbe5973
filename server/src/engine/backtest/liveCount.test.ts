import assert from "node:assert/strict";
import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { HarnessError } from "../../base/errors.ts";
import { ingestFile } from "../../evidence/ingest/ingest.ts";
import { makeRollout, toLine } from "../../../../test/support/evidence/evidence.ts";
import { placeOf } from "../workspace/place.ts";
import { keepEngine, withEngine, type Engine } from "../owner/withEngine.ts";

const rows = 22_000;
const newest = 20_480;

describe("the live count of a condition", function () {
  this.timeout(60_000);
  let root = "";
  before(async () => {
    root = await mkdtemp(join(tmpdir(), "evotrainer-live-"));
    const place = placeOf(root);
    await mkdir(place.evidenceRoot, { recursive: true });
    const owner = await keepEngine(place, { role: "verb" });
    const path = join(place.evidenceRoot, "r.jsonl");
    const lines = Array.from({ length: rows }, (_, i) =>
      toLine(
        makeRollout({
          id: `r-${i}`,
          split: "selection",
          turns: [{ role: "assistant", text: i % 4 === 0 ? "found" : "nothing" }],
        }),
      ),
    );
    await writeFile(path, lines.join(""));
    await ingestFile(owner.store, { path, kind: "rollouts", version: "v", run: "run-1" });
    await owner.close();
  });
  after(() => rm(root, { recursive: true, force: true }));

  const condition = "turns.exists(t, t.text == params.word)";
  const found = 'turns.exists(t, t.text == "found")';

  const ask = async (engine: Engine): Promise<unknown[]> => {
    const answers: unknown[] = [];
    const whole = await engine.request(
      "diagnostics.liveCount",
      { condition: found, version: "v" },
      { progress: ({ part }) => answers.push(part) },
    );
    answers.push(whole);
    return answers.map((answer) => {
      assert.ok(typeof answer === "object" && answer !== null && "at" in answer);
      const { at, ...rest } = answer;
      assert.ok(!Number.isNaN(Date.parse(String(at))));
      return rest;
    });
  };

  it("covers the newest rollouts first and then all, in this process and through the socket", () =>
    withEngine(placeOf(root), async (own) => {
      const expected = [
        { type: "counted", rollouts: newest, labelled: newest / 4, undecided: 0, done: false },
        { type: "counted", rollouts: rows, labelled: rows / 4, undecided: 0, done: true },
      ];
      assert.deepEqual(await ask(own), expected);
      assert.deepEqual(await withEngine(placeOf(root), ask), expected);
    }));

  it("reports what is wrong with a condition and where, and covers all versions when none is named", () =>
    withEngine(placeOf(root), async (engine) => {
      const wrong = await engine.request("diagnostics.liveCount", { condition });
      assert.ok(wrong.type === "problems");
      assert.equal(condition.slice(wrong.problems[0]?.start, wrong.problems[0]?.end), "params.word");
      const all = await engine.request("diagnostics.liveCount", {
        condition: "reward >= params.least",
        params: { least: 1 },
      });
      assert.ok(all.type === "counted");
      assert.deepEqual([all.rollouts, all.labelled, all.done], [rows, rows, true]);
    }));

  it("counts training where there is nothing else, as in rollouts that were imported", async () => {
    const other = await mkdtemp(join(tmpdir(), "evotrainer-live-"));
    try {
      const path = join(other, "r.jsonl");
      const lines = [0, 1, 1].map((reward, i) =>
        toLine(makeRollout({ id: `r-${i}`, sample: i, split: "train", reward })),
      );
      await writeFile(path, lines.join(""));
      const owner = await keepEngine(placeOf(other), { role: "verb" });
      await ingestFile(owner.store, { path, kind: "rollouts", version: "v", run: "run-1" });
      await owner.close();
      const all = await withEngine(placeOf(other), (engine) =>
        engine.request("diagnostics.liveCount", { condition: "reward < 0.5" }),
      );
      assert.deepEqual(all.type === "counted" && [all.rollouts, all.labelled], [3, 1]);
    } finally {
      await rm(other, { recursive: true, force: true });
    }
  });

  it("stops when its stream sends another request, and when its caller goes away", () =>
    withEngine(placeOf(root), async (engine) => {
      const request = { condition: found, version: "v", stream: "a.diagnostic.yaml" };
      const first = engine.request("diagnostics.liveCount", request);
      const other = engine.request("diagnostics.liveCount", { ...request, stream: "b.diagnostic.yaml" });
      const second = engine.request("diagnostics.liveCount", request);
      await assert.rejects(first, (e) => HarnessError.is(e, "cancelled"));
      for (const answer of [await other, await second])
        assert.deepEqual(answer.type === "counted" && [answer.rollouts, answer.done], [rows, true]);
      const stop = new AbortController();
      const stopped = engine.request("diagnostics.liveCount", request, {
        signal: stop.signal,
        progress: () => stop.abort(),
      });
      await assert.rejects(stopped, (e) => HarnessError.is(e, "cancelled"));
    }));
});
