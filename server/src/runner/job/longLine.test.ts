import assert from "node:assert/strict";
import { mkdir, open } from "node:fs/promises";
import { dirname } from "node:path";
import { HarnessError } from "../../base/errors.ts";
import { validateFile } from "../../evidence/contract/validateFile.ts";
import { lookAt } from "../../evidence/importing/look.ts";
import { ingestFile } from "../../evidence/ingest/ingest.ts";
import {
  makeRollout,
  makeWorkspace,
  toLine,
  type Workspace,
} from "../../../../test/support/evidence/evidence.ts";
import { importPaths } from "../../../../test/support/evidence/import.ts";
import { evidenceFiles, readItemIds, summariseEvidence } from "./evidenceSummary.ts";

const longText = "x".repeat(50 * 1024 * 1024);
const rollout = (id: string, text = "short"): string =>
  toLine(makeRollout({ id, turns: [{ role: "assistant", text }] }));
const metrics = (step: number, text?: string): string =>
  `${JSON.stringify({ step, loss: 1, ...(text === undefined ? {} : { note: text }) })}\n`;
const sample = (step: number, text = "4"): string =>
  `${JSON.stringify({ input: "user\n2+2?\nassistant\n", output: text, score: 1, step })}\n`;
const item = (id: string, text?: string): string => `${JSON.stringify({ text, id })}\n`;

/** Two good lines with the long one before, between or behind them. */
const places = ["first", "in the middle", "last"] as const;
const around = (
  place: (typeof places)[number],
  long: string,
  [a, b]: readonly [string, string],
): readonly string[] => (place === "first" ? [long, a, b] : place === "last" ? [a, b, long] : [a, long, b]);

describe("a line of 50 MB costs that line only", function () {
  this.timeout(120_000);
  let workspace: Workspace;
  beforeEach(async () => (workspace = await makeWorkspace()));
  afterEach(() => workspace.remove());

  async function put(name: string, lines: readonly string[]): Promise<string> {
    const path = workspace.file(name);
    await mkdir(dirname(path), { recursive: true });
    const file = await open(path, "w");
    for (const line of lines) await file.write(line);
    await file.close();
    return path;
  }

  for (const place of places) {
    it(`in rollouts that are read into the archive, checked, and summed up at the end of a job: ${place}`, async () => {
      const lines = around(place, rollout("long", longText), [rollout("a"), rollout("b")]);
      const path = await put(`run/${evidenceFiles.rollouts}`, lines);
      const store = await workspace.open();
      const read = await ingestFile(store, { path, kind: "rollouts", version: "v", final: true });
      assert.deepEqual([read.rows, read.bad], [2, 1]);
      assert.match(read.quarantined[0]?.reason ?? "", /longer than 32 MiB/);
      const { records, bad } = await validateFile(path);
      assert.deepEqual([records, bad], [2, 1]);
      const summary = await summariseEvidence(dirname(path));
      assert.deepEqual([summary.rollouts.train, summary.badLines], [2, 1]);
      assert.equal((await lookAt(path, {})).type, "contract");
    });

    it(`in metrics: ${place}`, async () => {
      const path = await put("metrics.jsonl", around(place, metrics(9, longText), [metrics(1), metrics(2)]));
      const store = await workspace.open();
      const read = await ingestFile(store, { path, kind: "metrics", version: "v", run: "r", final: true });
      assert.deepEqual([read.rows, read.bad], [2, 1]);
      const { records, bad } = await validateFile(path, { kind: "metrics" });
      assert.deepEqual([records, bad], [2, 1]);
    });

    it(`in a file of another tool: ${place}`, async () => {
      const path = await put("verl.jsonl", around(place, sample(9, longText), [sample(1), sample(2)]));
      const { counts } = await importPaths(await workspace.open(), [path]);
      assert.deepEqual([counts.rollouts, counts.quarantined, counts.read], [2, 1, 1]);
    });

    it(`in a list of items: ${place}`, async () => {
      const path = await put("items.jsonl", around(place, item("long", longText), [item("a"), item("b")]));
      assert.deepEqual(await readItemIds(path), ["a", "b"]);
    });
  }

  it("a file of nothing else is not recognised, and is no fault", async () => {
    const path = await put("verl.jsonl", [sample(1, longText)]);
    const look = await lookAt(path, {}).catch((e: unknown) =>
      assert.fail(HarnessError.is(e) ? e.message : String(e)),
    );
    assert.equal(look.type === "foreign" ? look.adapter : "other", undefined);
  });
});
